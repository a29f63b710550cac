// Formats by their first bytes; see foreign_format.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <io/fault.hpp>
#include <io/foreign_format.hpp>

namespace exactdot::io {
namespace {

constexpr std::size_t sample_size = 4096;

struct known_format {
  std::string_view magic, name, suffixes;
  std::string_view call;  // of Python, that gives an array; empty: the file is compressed
};

using namespace std::string_view_literals;

constexpr known_format known_formats[] = {
    {"PAR1", "a Parquet file", ".parquet .pq", "pandas.read_parquet(FILE)[\"NAME\"]"},
    {"ARROW1", "an Arrow file", ".arrow .feather", "pandas.read_feather(FILE)[\"NAME\"]"},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file", ".h5 .hdf5 .he5 .nc .mat", "h5py.File(FILE)[\"NAME\"]"},
    {"MATLAB 5.0 MAT-file", "a MATLAB file", ".mat", "scipy.io.loadmat(FILE)[\"NAME\"]"},
    {"SIMPLE  =", "a FITS file", ".fits .fit .fts", "astropy.io.fits.getdata(FILE)"},
    {"CDF\1", "a NetCDF file", ".nc", "scipy.io.netcdf_file(FILE).variables[\"NAME\"][:]"},
    {"CDF\2", "a NetCDF file", ".nc", "scipy.io.netcdf_file(FILE).variables[\"NAME\"][:]"},
    {"\x1f\x8b", "compressed by gzip", ".gz .tgz", ""},
    {"BZh", "compressed by bzip2", ".bz2", ""},
    {"\xfd"
     "7zXZ\0"sv,
     "compressed by xz", ".xz", ""},
    {"\x28\xb5\x2f\xfd", "compressed by Zstandard", ".zst", ""},
};

/// Returns whether the name ends with one of the suffixes, in any case.
bool has_suffix(std::string_view file, std::string_view suffixes) {
  const std::size_t dot = file.rfind('.');
  if (dot == file.npos) return false;
  std::string suffix(file.substr(dot));
  for (char& letter : suffix) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return (" " + std::string(suffixes) + " ").find(" " + suffix + " ") != std::string::npos;
}

std::string saved(std::string_view call) { return fmt::format("np.save(\"x.npy\", {})", call); }

std::uint64_t little_endian(std::string_view bytes, std::size_t place, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[place + i]);
  return value;
}

/// A ZIP archive, whose first header names its first member: NumPy, PyTorch and many others write such files.
foreign_format archive(std::string_view bytes, std::string_view file) {
  const std::size_t length = bytes.size() < 30 ? 0 : little_endian(bytes, 26, 2);
  const std::string_view member = bytes.substr(std::min<std::size_t>(bytes.size(), 30), length);
  if (member.ends_with(".npy")) {
    return {"a .npz archive; save an array of it with NumPy: " + saved("np.load(FILE)[\"NAME\"]"),
            has_suffix(file, ".npz")};
  }
  if (member.ends_with("/data.pkl")) {
    return {"a PyTorch file; save a tensor of it with NumPy: " + saved("torch.load(FILE)[\"NAME\"].numpy()"),
            has_suffix(file, ".pt .pth .bin")};
  }
  return {"a ZIP archive; extract it", has_suffix(file, ".zip .xlsx .ods .npz .pt .pth")};
}

bool is_safetensors(std::string_view bytes) {
  return bytes.size() > 10 && bytes.substr(8, 2) == "{\"" && little_endian(bytes, 0, 8) <= bytes.size() - 8;
}

bool is_pickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5 && bytes.back() == '.';
}

/// Whether these are several words of printable UTF-8. A character that the end of the sample cuts is not examined.
bool is_text(std::string_view bytes) {
  std::string_view sample = bytes.substr(0, sample_size);
  if (sample.size() < bytes.size()) {
    while (!sample.empty() && static_cast<unsigned char>(sample.back()) >= 0x80) sample.remove_suffix(1);
  }
  if (sample.find_first_of(" \t\n,;") == sample.npos) return false;
  std::string letters(sample);
  std::erase_if(letters,
                [](char letter) { return std::string_view("\t\n\r\f\\").find(letter) != std::string_view::npos; });
  return printable(letters, letters.size() + 1) == letters;
}

/// Returns NumPy's call that reads the columns of a text, from its first line.
std::string call_for_text(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, std::min(bytes.find('\n'), sample_size));
  const std::size_t separator = line.find_first_of(",;\t");
  const bool is_named = separator != line.npos && line[separator] != '\t';
  const std::string delimiter = is_named ? fmt::format(", delimiter=\"{}\"", line[separator]) : "";
  // Letters of numbers: 1e5, nan, inf, infinity.
  const bool has_words = std::ranges::any_of(line, [](char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0 &&
           std::string_view("eEnaifty").find(letter) == std::string_view::npos;
  });
  return fmt::format("np.loadtxt(FILE{}{})", delimiter, has_words ? ", skiprows=1" : "");
}

foreign_format text(std::string_view bytes, std::string_view file) {
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start != bytes.npos && (bytes[start] == '[' || bytes[start] == '{')) {
    return {"JSON; save its numbers with NumPy: " + saved("json.load(open(FILE))"), has_suffix(file, ".json .txt")};
  }
  const std::string how = saved(call_for_text(bytes)) + "; its decimals become doubles: docs/decimals.md";
  return {"text; save its numbers with NumPy: " + how, has_suffix(file, ".csv .tsv .txt")};
}

}  // namespace

std::optional<foreign_format> foreign_format_of(std::span<const std::byte> file_bytes, std::string_view file) {
  const std::string_view bytes{reinterpret_cast<const char*>(file_bytes.data()), file_bytes.size()};
  for (const known_format& known : known_formats) {
    if (!bytes.starts_with(known.magic)) continue;
    const std::string advice =
        known.call.empty() ? "decompress it" : "save an array of it with NumPy: " + saved(known.call);
    return foreign_format{fmt::format("{}; {}", known.name, advice), has_suffix(file, known.suffixes)};
  }
  if (bytes.starts_with("PK\3\4")) return archive(bytes, file);
  if (is_safetensors(bytes)) {
    return foreign_format{"a safetensors file; save a tensor of it with NumPy: " +
                              saved("safetensors.numpy.load_file(FILE)[\"NAME\"]"),
                          has_suffix(file, ".safetensors")};
  }
  if (is_pickle(bytes)) {
    return foreign_format{"a pickle; save its numbers with NumPy: np.save(\"x.npy\", ARRAY)",
                          has_suffix(file, ".pkl .pickle .pt .pth")};
  }
  if (is_text(bytes)) return text(bytes, file);
  return std::nullopt;
}

}  // namespace exactdot::io
