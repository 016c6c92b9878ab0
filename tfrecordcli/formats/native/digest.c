/* tfrecordcli.formats._digest: see _digest.pyi, and digest.py for the sum and its constants. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)
#define MIX UINT64_C(0xBF58476D1CE4E5B9)
/* Bytes from which on the time is worth that others may run meanwhile. */
#define LONG (1 << 16)

/* Little-endian, as digest.py has it; bit_reader.h, of another module, reads bits from the most significant on. */
static uint64_t word_at(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The sum over the words of a record that comes in pieces. */
typedef struct {
    uint64_t total, words, size;
    unsigned char rest[8]; /* the first bytes of a word, of which the others are still to come */
    size_t held;           /* how many they are, 0 to 7 */
} word_sum;

/* Words of which the sums are kept apart, so that vector instructions take them at a time; an even number. */
#define LANES 4

/* Without a product for each word: the j-th of n in a lane is in all n - j running sums from its own on, so
 * that sum(j * w[j]) = n * sum(w) - sum(running sums). And i * GOLDEN | 1 is i * GOLDEN, plus 1 for even i. */
static void add_words(word_sum *sum, const unsigned char *at, size_t count)
{
    uint64_t running[LANES] = {0}, all[LANES] = {0};
    size_t rows = count / LANES;
    for (size_t row = 0; row < rows; row++, at += 8 * LANES)
        for (int lane = 0; lane < LANES; lane++) {
            running[lane] += word_at(at + 8 * lane);
            all[lane] += running[lane];
        }
    for (uint64_t lane = 0; lane < LANES; lane++) {
        uint64_t first = sum->words + lane;
        uint64_t by_row = rows * running[lane] - all[lane];
        sum->total += (first * running[lane] + by_row * LANES) * GOLDEN + (first & 1 ? 0 : running[lane]);
    }
    sum->words += rows * LANES;
    for (size_t i = rows * LANES; i < count; i++, at += 8) sum->total += word_at(at) * (sum->words++ * GOLDEN | 1);
}

static void add_piece(word_sum *sum, const unsigned char *data, size_t size)
{
    sum->size += size;
    if (sum->held) {
        size_t taken = 8 - sum->held < size ? 8 - sum->held : size;
        memcpy(sum->rest + sum->held, data, taken);
        sum->held += taken;
        if (sum->held < 8) return;
        add_words(sum, sum->rest, 1);
        data += taken;
        size -= taken;
    }
    sum->held = size & 7;
    size -= sum->held;
    add_words(sum, data, size / 8);
    memcpy(sum->rest, data + size, sum->held);
}

static uint64_t digest_of(word_sum *sum)
{
    if (sum->held) {
        memset(sum->rest + sum->held, 0, 8 - sum->held);
        add_words(sum, sum->rest, 1);
    }
    uint64_t total = sum->total + sum->size * GOLDEN;
    total = (total ^ total >> 32) * MIX;
    return total ^ total >> 29;
}

static PyObject *digest_of_pieces(PyObject *module, PyObject *const *pieces, Py_ssize_t count)
{
    (void)module;
    word_sum sum = {0};
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_buffer piece;
        if (PyObject_GetBuffer(pieces[i], &piece, PyBUF_SIMPLE)) return NULL;
        /* What others could change meanwhile is not let go of. */
        PyThreadState *released = piece.len >= LONG && PyBytes_CheckExact(pieces[i]) ? PyEval_SaveThread() : NULL;
        add_piece(&sum, piece.buf, (size_t)piece.len);
        if (released) PyEval_RestoreThread(released);
        PyBuffer_Release(&piece);
    }
    return PyLong_FromUnsignedLongLong(digest_of(&sum));
}

/* Castagnoli's polynomial without x^32, x^31 in the lowest bit (RFC 3720, appendix B.4). */
#define CASTAGNOLI UINT32_C(0x82F63B78)
#define ONE (UINT32_C(1) << 31)

/* x^(2^k) modulo the polynomial. */
static uint32_t powers[64];

/* a(x) * b(x) modulo the polynomial. */
static uint32_t product(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t bit = ONE; bit; bit >>= 1) {
        if (a & bit) sum ^= b;
        b = b & 1 ? b >> 1 ^ CASTAGNOLI : b >> 1;
    }
    return sum;
}

static int prepare(PyObject *module)
{
    (void)module;
    powers[0] = ONE >> 1;
    for (int k = 1; k < 64; k++) powers[k] = product(powers[k - 1], powers[k - 1]);
    return 0;
}

/* As crc32_combine of zlib: bytes that follow multiply what stood before by x^8 each. */
static PyObject *crc32c_of_both(PyObject *module, PyObject *arguments)
{
    (void)module;
    unsigned int first, second;
    unsigned long long length;
    if (!PyArg_ParseTuple(arguments, "IIK:crc32c_of_both", &first, &second, &length)) return NULL;
    uint32_t moved = first;
    for (int k = 3; length && k < 64; k++, length >>= 1)
        if (length & 1) moved = product(powers[k], moved);
    return PyLong_FromUnsignedLong(moved ^ second);
}

static PyMethodDef functions[] = {
    {"digest_of_pieces", (PyCFunction)(void (*)(void))digest_of_pieces, METH_FASTCALL,
     "digest_of_pieces(*pieces)\n--\n\nDigest of one record's bytes, 0 to 2**64-1."},
    {"crc32c_of_both", crc32c_of_both, METH_VARARGS,
     "crc32c_of_both(first, second, length, /)\n--\n\nCRC32C of bytes, and of `length` others behind them, from those of each."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, prepare}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_digest", .m_methods = functions, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__digest(void)
{
    return PyModuleDef_Init(&definition);
}
