"""Folders as lists of images: classes as folders, Pascal VOC, YOLO."""
