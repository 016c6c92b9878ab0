/* tfrecordcli.images._jpeg_walk: see _jpeg_walk.pyi. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "jpeg_walk.h"

static const char *const REASONS[] = {
    [JPEG_TRUNCATED] = "truncated", [JPEG_CORRUPT] = "corrupt",         [JPEG_INCOMPLETE] = "incomplete",
    [JPEG_DC_RANGE] = "dc_range",   [JPEG_UNSUPPORTED] = "unsupported",
};

static PyObject *walk(PyObject *module, PyObject *data)
{
    (void)module;
    Py_buffer file;
    if (PyObject_GetBuffer(data, &file, PyBUF_SIMPLE)) return NULL;
    /* Others may run meanwhile, but not where they could change what was looked at already. */
    PyThreadState *released = PyBytes_CheckExact(data) ? PyEval_SaveThread() : NULL;
    jpeg_verdict verdict = jpeg_walk(file.buf, (size_t)file.len);
    if (released) PyEval_RestoreThread(released);
    PyBuffer_Release(&file);
    if (verdict.reason == JPEG_RIGHT) Py_RETURN_NONE;
    if (verdict.reason == JPEG_NO_MEMORY) return PyErr_NoMemory();
    return Py_BuildValue("(ssn)", REASONS[verdict.reason], verdict.detail, (Py_ssize_t)verdict.at);
}

static PyObject *next_marker(PyObject *module, PyObject *arguments)
{
    (void)module;
    Py_buffer file;
    Py_ssize_t start;
    if (!PyArg_ParseTuple(arguments, "y*n:next_marker", &file, &start)) return NULL;
    size_t size = (size_t)file.len, at = start < 0 ? size : jpeg_next_marker(file.buf, size, (size_t)start);
    PyBuffer_Release(&file);
    return PyLong_FromSsize_t(at < size ? (Py_ssize_t)at : -1);
}

static int prepare(PyObject *module)
{
    jpeg_walk_init();
    return PyModule_AddIntConstant(module, "VERSION", JPEG_WALK_VERSION);
}

static PyMethodDef functions[] = {
    {"walk", walk, METH_O, "walk(data, /)\n--\n\nNone for a JPEG that is right, else the reason, what is wrong, and where."},
    {"next_marker", next_marker, METH_VARARGS,
     "next_marker(data, start, /)\n--\n\nWhere the next marker is that may end picture data; -1 if there is none."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, prepare}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_jpeg_walk", .m_methods = functions, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__jpeg_walk(void)
{
    return PyModuleDef_Init(&definition);
}
