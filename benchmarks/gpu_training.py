"""Does a GPU wait for `tfrecordcli.load`? A network trains on a dataset, and on noise that is on the GPU.

    python benchmarks/gpu_training.py DATASET --model resnet50 --batch 256 --seconds 8

Needs PyTorch and torchvision with CUDA, TensorFlow, and `nvidia-smi` for the share of time in which the GPU
is at work. Prints images a second of batches that are on the GPU already and of those that `load` gives, and
their ratio: how much of the GPU the feed keeps busy.
"""

from __future__ import annotations

import argparse
import itertools
import os
import queue
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch._dynamo  # before TensorFlow: the other way round crashes
import torchvision

SIZE = 224
WARM_BATCHES = 8
AHEAD = 3  # batches that are on their way to the GPU

Batches = Iterator[tuple[Any, Any]]


class Training:
    """One network on one GPU, trained by SGD in bfloat16."""

    def __init__(self, model: str, device: Any) -> None:
        made = getattr(torchvision.models, model)(num_classes=1000)
        self.model = made.to(device, memory_format=torch.channels_last)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.mean = torch.tensor([123.7, 116.3, 103.5], device=device).view(1, 3, 1, 1)
        self.device = device

    def step(self, images: Any, labels: Any) -> None:
        """One step on uint8 images [B, H, W, 3] and labels int64 [B]."""
        pixels = (images.permute(0, 3, 1, 2).float() - self.mean) / 58
        with torch.autocast(self.device.type, torch.bfloat16):
            scores = self.model(pixels.contiguous(memory_format=torch.channels_last))
            loss = torch.nn.functional.cross_entropy(scores, labels)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()


def batches_there(batch: int, device: Any) -> Batches:
    """One batch of noise on the GPU, again and again."""
    images = torch.randint(0, 255, (batch, SIZE, SIZE, 3), dtype=torch.uint8, device=device)
    return itertools.repeat((images, torch.randint(0, 999, (batch,), device=device)))


def batches_loaded(dataset: str, batch: int, device: Any) -> Batches:
    """Those of `load`, copied to the GPU by a thread ahead of their use."""
    import tensorflow as tf

    tf.config.set_visible_devices([], "GPU")  # that is PyTorch's here
    from tfrecordcli import load

    loaded = load(dataset, image_size=SIZE, batch_size=batch, device="cpu", repeat=True)["train"]
    ready: queue.Queue[tuple[Any, Any]] = queue.Queue(AHEAD)

    def copy() -> None:
        for images, labels in loaded:
            pinned = torch.from_numpy(np.asarray(images)).pin_memory()
            ids = torch.from_numpy(np.asarray(labels)) % 1000
            ready.put((pinned.to(device, non_blocking=True), ids.to(device)))

    threading.Thread(target=copy, daemon=True).start()
    while True:
        yield ready.get()


def measure(training: Training, batches: Batches, seconds: float) -> tuple[float, float]:
    """Images a second, and the share of time in which the GPU was at work, 0 to 1."""
    for images, labels in itertools.islice(batches, WARM_BATCHES):
        training.step(images, labels)
    torch.cuda.synchronize()
    watch = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-lms", "200"]
    with subprocess.Popen(watch, stdout=subprocess.PIPE, text=True) as watcher:
        trained, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            for images, labels in itertools.islice(batches, 4):
                training.step(images, labels)
                trained += len(labels)
            torch.cuda.synchronize()
        took = time.perf_counter() - start
        watcher.terminate()
        busy = [int(line) for line in watcher.communicate()[0].split()]
    return trained / took, statistics.mean(busy) / 100


def main() -> None:
    parser = argparse.ArgumentParser(description="Does a GPU wait for tfrecordcli.load?")
    parser.add_argument("dataset", help="folder that tfrec convert wrote")
    parser.add_argument("--model", default="resnet50", help="of torchvision.models")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each measurement")
    options = parser.parse_args()
    device = torch.device("cuda")
    training = Training(options.model, device)
    there, busy = measure(training, batches_there(options.batch, device), options.seconds)
    print(f"{options.model}, batches on the GPU already: {there:.0f} images/s, GPU at work {busy:.0%}")
    loaded, busy = measure(training, batches_loaded(options.dataset, options.batch, device), options.seconds)
    print(f"{options.model}, tfrecordcli.load: {loaded:.0f} images/s, GPU at work {busy:.0%}")
    print(f"load / there: {loaded / there:.2f}x", flush=True)
    os._exit(0)  # the thread that copies waits in TensorFlow, which would abort


if __name__ == "__main__":
    main()
