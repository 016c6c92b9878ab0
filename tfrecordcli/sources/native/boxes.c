/* tfrecordcli.sources._boxes: see _boxes.pyi, and boxes/fields.py, which reads the box of a row alike. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LONGEST 32         /* characters of a number as repr() writes it, 24 at most, and a little more */
#define LONGEST_IMAGE 1024 /* characters of what is told of an image */
#define FRACTIONS_END 1.01 /* as in boxes/columns.py */

typedef struct {
    double value;
    char text[LONGEST]; /* as repr() writes it */
    size_t size;        /* of the text */
} number;

/* What `Extremes` of boxes/columns.py counts. */
typedef struct {
    double least, most;
    Py_ssize_t within_one;
    bool has_fraction;
} extremes;

static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* From 2^53 on all doubles are whole. */
static bool is_whole(double value)
{
    return !(value > -0x1p53 && value < 0x1p53) || value == (double)(int64_t)value;
}

static char *write_whole(char *to, int64_t value)
{
    char digits[20], *at = digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value < 0) *to++ = '-';
    do *at++ = (char)('0' + rest % 10);
    while (rest /= 10);
    while (at > digits) *to++ = *--at;
    return to;
}

/* Fills in the text of a value; false: there is no memory. */
static bool write_number(number *its)
{
    bool is_short = its->value > -1e15 && its->value < 1e15;
    if (is_short && is_whole(its->value) && !(its->value == 0 && signbit(its->value))) {
        char *end = write_whole(its->text, (int64_t)its->value);
        memcpy(end, ".0", 2);
        its->size = (size_t)(end + 2 - its->text);
        return true;
    }
    char *text = PyOS_double_to_string(its->value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (!text) return false;
    its->size = strlen(text);
    memcpy(its->text, text, its->size);
    PyMem_Free(text);
    return true;
}

/* Reads what `NUMBER` of number_patterns.py matches, which is finite; NULL: there is no such, or an error.
 *
 * Of at most 15 digits a double keeps all (DBL_DIG in 5.2.4.2.2 of C17), so that repr() writes the text as it is, but
 * for zeros at the end, a missing `.0`, and what is below 0.0001, where exponents begin. They and the power of ten are
 * doubles themselves, so that their quotient is the double nearest to the text. */
static const char *read_number(const char *at, const char *end, number *its)
{
    const char *start = at;
    if (at < end && (*at == '-' || *at == '+')) at++;
    const char *whole = at;
    uint64_t digits = 0;
    for (; at < end && is_digit(*at); at++) digits = digits * 10 + (uint64_t)(*at - '0');
    size_t before = (size_t)(at - whole), behind = 0;
    const char *point = at;
    if (at < end && *at == '.') {
        for (at++; at < end && is_digit(*at); at++) digits = digits * 10 + (uint64_t)(*at - '0');
        behind = (size_t)(at - point - 1);
    }
    if (!before && !behind) return NULL;
    bool is_plain = FLT_EVAL_METHOD == 0 && *start != '+' && before && before + behind <= DBL_DIG;
    is_plain = is_plain && (before == 1 || *whole != '0');
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *power = at + 1;
        if (power < end && (*power == '-' || *power == '+')) power++;
        if (power < end && is_digit(*power)) {
            for (at = power; at < end && is_digit(*at); at++) {}
            is_plain = false;
        }
    }
    if (is_plain) {
        its->value = (double)digits / powers[behind];
        is_plain = !digits || its->value >= 1e-4;
    }
    if (is_plain) {
        if (whole > start) its->value = -its->value;
        while (behind && point[behind] == '0') behind--;
        size_t written = (size_t)(point - start) + (behind ? behind + 1 : 0);
        memcpy(its->text, start, written);
        if (!behind) memcpy(its->text + written, ".0", 2);
        its->size = written + (behind ? 0 : 2);
        return at;
    }
    char *stopped;
    its->value = PyOS_string_to_double(start, &stopped, NULL);
    if (stopped != at || !isfinite(its->value) || PyErr_Occurred()) return NULL;
    return write_number(its) ? at : NULL;
}

/* Reads a text that is one number. */
static bool read_whole_text(PyObject *text, number *its)
{
    Py_ssize_t size;
    const char *at = PyUnicode_AsUTF8AndSize(text, &size);
    return at && read_number(at, at + size, its) == at + size;
}

/* Reads a text of four numbers, as `[10, 20, 30, 40]`, with or without brackets and commas. */
static bool read_four(PyObject *text, number its[4])
{
    Py_ssize_t size;
    const char *at = PyUnicode_AsUTF8AndSize(text, &size);
    if (!at) return false;
    const char *end = at + size;
    if (at < end && (*at == '[' || *at == '(')) at++;
    while (at < end && is_blank(*at)) at++;
    for (int side = 0; side < 4; side++) {
        const char *before = at;
        while (side && at < end && (is_blank(*at) || *at == ',' || *at == ';')) at++;
        if (side && at == before) return false;
        at = read_number(at, end, its + side);
        if (!at) return false;
    }
    while (at < end && is_blank(*at)) at++;
    if (at < end && (*at == ']' || *at == ')')) at++;
    return at == end;
}

/* Makes corners of the numbers of a form, as `corners_in_form` of boxes/fields.py. */
static bool to_corners(number its[4], const char *form)
{
    if (strcmp(form, "xyxy") == 0) return true;
    if (strcmp(form, "yxyx") == 0) {
        for (int side = 0; side < 4; side += 2) {
            number y = its[side];
            its[side] = its[side + 1];
            its[side + 1] = y;
        }
        return true;
    }
    if (its[2].value < 0 || its[3].value < 0) return false;
    for (int side = 0; side < 2; side++) {
        double at = its[side].value, extent = its[side + 2].value;
        if (strcmp(form, "xywh") == 0) {
            its[side + 2].value = at + extent;
        } else {
            its[side].value = at - extent / 2;
            its[side + 2].value = at + extent / 2;
            if (!write_number(its + side)) return false;
        }
        if (!write_number(its + side + 2)) return false;
    }
    return true;
}

static void take(extremes *met, const number its[4])
{
    double most = its[0].value;
    bool are_whole = true;
    for (int side = 0; side < 4; side++) {
        double value = its[side].value;
        if (value < met->least) met->least = value;
        if (value > most) most = value;
        are_whole = are_whole && is_whole(value);
    }
    if (most > met->most) met->most = most;
    if (are_whole) return;
    met->has_fraction = true;
    met->within_one += most <= FRACTIONS_END;
}

/* The field of one row's box; NULL: its image is told of at length, or an error. */
static PyObject *field_of(PyObject *image, long long line, const number its[4])
{
    char field[LONGEST_IMAGE + 5 * (LONGEST + 1)], *end = field;
    Py_ssize_t size;
    const char *told = PyUnicode_AsUTF8AndSize(image, &size);
    if (!told || size > LONGEST_IMAGE) return NULL;
    memcpy(end, told, (size_t)size);
    end += size;
    *end++ = '\x1e';
    end = write_whole(end, line);
    for (int side = 0; side < 4; side++) {
        *end++ = '\x1f';
        memcpy(end, its[side].text, its[side].size);
        end += its[side].size;
    }
    return PyUnicode_FromStringAndSize(field, end - field);
}

/* Reads the numbers of one row: four texts, or one that holds them. */
static bool read_row(PyObject *columns, Py_ssize_t row, number its[4])
{
    Py_ssize_t count = PyTuple_Size(columns);
    bool is_read = true;
    for (Py_ssize_t column = 0; is_read && column < count; column++) {
        PyObject *text = PySequence_GetItem(PyTuple_GetItem(columns, column), row);
        if (!text) return false;
        is_read = count == 1 ? read_four(text, its) : read_whole_text(text, its + column);
        Py_DECREF(text);
    }
    return is_read;
}

/* Adds the field of one row; false: it takes a closer look, or an error. */
static bool add_row(PyObject *fields, PyObject *const sources[3], const char *form, extremes *met)
{
    Py_ssize_t row = PyList_Size(fields);
    number its[4];
    if (!read_row(sources[2], row, its) || !to_corners(its, form)) return false;
    take(met, its);
    PyObject *image = PySequence_GetItem(sources[0], row), *line = PySequence_GetItem(sources[1], row);
    long long place = line ? PyLong_AsLongLong(line) : -1;
    PyObject *field = image && !PyErr_Occurred() ? field_of(image, place, its) : NULL;
    Py_XDECREF(image);
    Py_XDECREF(line);
    bool is_added = field && !PyList_Append(fields, field);
    Py_XDECREF(field);
    return is_added;
}

static PyObject *fields_of_boxes(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *sources[3];
    const char *form;
    if (!PyArg_ParseTuple(arguments, "OOO!s:fields_of_boxes", sources, sources + 1, &PyTuple_Type, sources + 2, &form))
        return NULL;
    Py_ssize_t count = PyTuple_Size(sources[2]), rows = PySequence_Size(sources[1]);
    if (count != 1 && count != 4) return PyErr_Format(PyExc_ValueError, "%zd columns of numbers, not 1 or 4", count);
    PyObject *fields = rows < 0 ? NULL : PyList_New(0);
    if (!fields) return NULL;
    extremes met = {INFINITY, -INFINITY, 0, false};
    while (PyList_Size(fields) < rows)
        if (!add_row(fields, sources, form, &met)) {
            Py_DECREF(fields);
            /* A text that is none of Unicode is no number either. */
            if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_UnicodeError)) return NULL;
            PyErr_Clear();
            Py_RETURN_NONE;
        }
    return Py_BuildValue("(NddNn)", fields, met.least, met.most, PyBool_FromLong(met.has_fraction), met.within_one);
}

static PyMethodDef functions[] = {
    {"fields_of_boxes", fields_of_boxes, METH_VARARGS,
     "fields_of_boxes(images, lines, columns, form, /)\n--\n\nFields of boxes, and what their numbers are; or None."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_boxes", .m_methods = functions, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__boxes(void)
{
    return PyModuleDef_Init(&definition);
}
