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
    jpeg_verdict verdict;
    Py_BEGIN_ALLOW_THREADS
    verdict = jpeg_walk(file.buf, (size_t)file.len);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&file);
    if (verdict.reason == JPEG_RIGHT) Py_RETURN_NONE;
    if (verdict.reason == JPEG_NO_MEMORY) return PyErr_NoMemory();
    return Py_BuildValue("(ssn)", REASONS[verdict.reason], verdict.detail, (Py_ssize_t)verdict.at);
}

static int prepare(PyObject *module)
{
    jpeg_walk_init();
    return PyModule_AddIntConstant(module, "VERSION", JPEG_WALK_VERSION);
}

static PyMethodDef functions[] = {
    {"walk", walk, METH_O, "walk(data, /)\n--\n\nNone for a JPEG that is right, else the reason, what is wrong, and where."},
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
