/* tfrecordcli.formats._digest: see _digest.pyi, and digest.py for the sum and its constants. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)
#define MIX UINT64_C(0xBF58476D1CE4E5B9)
/* Bytes from which on the time is worth that others may run meanwhile. */
#define LONG (1 << 16)

static uint64_t word_at(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static uint64_t digest(const unsigned char *data, size_t size)
{
    uint64_t total = 0, step = 0;
    size_t at = 0;
    for (; size - at >= 8; at += 8, step += GOLDEN) total += word_at(data + at) * (step | 1);
    if (at < size) {
        unsigned char rest[8] = {0};
        memcpy(rest, data + at, size - at);
        total += word_at(rest) * (step | 1);
    }
    total += (uint64_t)size * GOLDEN;
    total = (total ^ total >> 32) * MIX;
    return total ^ total >> 29;
}

static PyObject *record_digest(PyObject *module, PyObject *data)
{
    (void)module;
    Py_buffer record;
    if (PyObject_GetBuffer(data, &record, PyBUF_SIMPLE)) return NULL;
    /* What others could change meanwhile is not let go of. */
    PyThreadState *released = record.len >= LONG && PyBytes_CheckExact(data) ? PyEval_SaveThread() : NULL;
    uint64_t sum = digest(record.buf, (size_t)record.len);
    if (released) PyEval_RestoreThread(released);
    PyBuffer_Release(&record);
    return PyLong_FromUnsignedLongLong(sum);
}

static PyMethodDef functions[] = {
    {"record_digest", record_digest, METH_O,
     "record_digest(data, /)\n--\n\nDigest of one record's bytes, 0 to 2**64-1."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_digest", .m_methods = functions, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__digest(void)
{
    return PyModuleDef_Init(&definition);
}
