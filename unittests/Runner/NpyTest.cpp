//===- NpyTest.cpp - NumPy array files ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of .npy files, written here by hand from the format's description:
// what is written, what is read, and which damaged headers are refused.
//
//===----------------------------------------------------------------------===//

#include "softcap/Runner/Npy.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::softcap;

namespace {
class NpyTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("softcap", "npy", path));
    remover.setFile(path);
  }

  void put(StringRef content) {
    std::error_code code;
    llvm::raw_fd_ostream os(path, code);
    ASSERT_FALSE(code);
    os << content;
  }

  std::string get() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  /// The message of the refusal, or nothing if the file was read.
  std::string refuse(Type type, ArrayRef<int64_t> shape) {
    auto tensor = readNpy(path, type, shape);
    return tensor ? "" : llvm::toString(tensor.takeError());
  }

  MLIRContext context;
  Builder builder{&context};
  llvm::SmallString<64> path;
  llvm::FileRemover remover;
};
} // namespace

/// Format 1.0 with a dictionary padded as NumPy pads it.
static std::string makeFile(StringRef dictionary, StringRef elements) {
  std::string text = dictionary.str();
  while ((10 + text.size() + 1) % 64 != 0)
    text += ' ';
  text += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += char(text.size() & 0xff);
  file += char(text.size() >> 8);
  return file + text + elements.str();
}

template <typename T>
static std::string getBytes(std::initializer_list<T> values) {
  std::string bytes;
  for (T value : values)
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
  return bytes;
}

static std::string makeFloats() {
  return makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
                  getBytes<float>({1.0f, -2.5f, INFINITY, 0.0f}));
}

TEST_F(NpyTest, WritesWhatNumPyWrites) {
  HostTensor tensor = makeTensor(builder.getF32Type(), {2, 2});
  double values[] = {1.0, -2.5, INFINITY, 0.0};
  for (int i = 0; i < 4; ++i)
    tensor.setDouble(i, values[i]);
  ASSERT_FALSE(bool(writeNpy(path, tensor)));
  EXPECT_EQ(get(), makeFloats());
}

TEST_F(NpyTest, WritesShapesAsPythonTuples) {
  auto header = [&](ArrayRef<int64_t> shape) {
    EXPECT_FALSE(bool(writeNpy(path, makeTensor(builder.getF64Type(), shape))));
    std::string text = get();
    size_t begin = text.find('('), end = text.find(')');
    return text.substr(begin, end - begin + 1);
  };
  EXPECT_EQ(header({}), "()");
  EXPECT_EQ(header({3}), "(3,)");
  EXPECT_EQ(header({3, 0, 5}), "(3, 0, 5)");
}

TEST_F(NpyTest, WritesSixteenBitFloatsAsF4) {
  for (Type type : {Type(builder.getF16Type()), Type(builder.getBF16Type())}) {
    HostTensor tensor = makeTensor(type, {1});
    tensor.setDouble(0, 1.5);
    ASSERT_FALSE(bool(writeNpy(path, tensor)));
    EXPECT_EQ(
        get(),
        makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
                 getBytes<float>({1.5f})));
  }
}

TEST_F(NpyTest, NamesTheTypesOfIntegers) {
  auto descr = [&](Type type) {
    EXPECT_FALSE(bool(writeNpy(path, makeTensor(type, {1}))));
    return StringRef(get()).split("'descr': '").second.split('\'').first.str();
  };
  EXPECT_EQ(descr(builder.getI1Type()), "|b1");
  EXPECT_EQ(descr(builder.getI8Type()), "|i1");
  EXPECT_EQ(descr(builder.getIntegerType(16)), "<i2");
  EXPECT_EQ(descr(builder.getI64Type()), "<i8");
  EXPECT_EQ(descr(builder.getIndexType()), "<i8");
  EXPECT_EQ(descr(builder.getIntegerType(32, /*isSigned=*/false)), "<u4");
}

TEST_F(NpyTest, Reads) {
  put(makeFloats());
  auto tensor = readNpy(path, builder.getF32Type(), {ShapedType::kDynamic, 2});
  ASSERT_TRUE(bool(tensor)) << llvm::toString(tensor.takeError());
  EXPECT_EQ(tensor->shape, (SmallVector<int64_t>{2, 2}));
  EXPECT_EQ(tensor->getDouble(1), -2.5);
  EXPECT_EQ(tensor->getDouble(2), INFINITY);
}

TEST_F(NpyTest, RoundsToTheTypeAskedFor) {
  // 1 + 2^-8 is midway between bf16 neighbours and goes to the even one.
  put(makeFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
               getBytes<double>({1 + 0x1p-8, 1 + 0x3p-8})));
  auto tensor = readNpy(path, builder.getBF16Type(), {2});
  ASSERT_TRUE(bool(tensor)) << llvm::toString(tensor.takeError());
  EXPECT_EQ(tensor->getDouble(0), 1.0);
  EXPECT_EQ(tensor->getDouble(1), 1 + 0x1p-6);
}

TEST_F(NpyTest, TakesSixteenBitPatternsAsTheyAre) {
  for (StringRef descr : {"<u2", "|V2", "<V2"}) {
    put(makeFile(
        ("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2,), }")
            .str(),
        getBytes<uint16_t>({0x3FC0, 0x3E00})));
    auto bf16 = readNpy(path, builder.getBF16Type(), {2});
    ASSERT_TRUE(bool(bf16)) << llvm::toString(bf16.takeError());
    EXPECT_EQ(bf16->getDouble(0), 1.5);
    auto f16 = readNpy(path, builder.getF16Type(), {2});
    ASSERT_TRUE(bool(f16)) << llvm::toString(f16.takeError());
    EXPECT_EQ(f16->getDouble(1), 1.5);
    EXPECT_NE(refuse(builder.getF32Type(), {2}), "");
  }
}

TEST_F(NpyTest, ReadsTheLongHeadersOfFormat2) {
  std::string dictionary =
      "{'descr': '<i8', 'fortran_order': False, 'shape': (), }";
  std::string file("\x93NUMPY\x02\x00", 8);
  file += getBytes<uint32_t>({uint32_t(dictionary.size())}) + dictionary +
          getBytes<int64_t>({-7});
  put(file);
  auto tensor = readNpy(path, builder.getI64Type(), {});
  ASSERT_TRUE(bool(tensor)) << llvm::toString(tensor.takeError());
  EXPECT_EQ(tensor->getDouble(0), -7);
}

TEST_F(NpyTest, RefusesEveryTruncation) {
  std::string file = makeFloats();
  for (size_t length = 0; length < file.size(); ++length) {
    put(StringRef(file).take_front(length));
    EXPECT_NE(refuse(builder.getF32Type(), {2, 2}), "") << length;
  }
}

TEST_F(NpyTest, SurvivesEveryByteOfTheHeader) {
  // A changed byte may leave the same meaning (a space), never another crash.
  std::string file = makeFloats();
  size_t header = file.size() - 4 * sizeof(float);
  for (size_t i = 0; i < header; ++i)
    for (char byte : {'\0', '\xff', '(', '\'', '9', '\n'}) {
      std::string damaged = file;
      damaged[i] = byte;
      put(damaged);
      auto tensor = readNpy(path, builder.getF32Type(), {2, 2});
      if (tensor)
        EXPECT_EQ(tensor->bytes.size(), 16u);
      else
        llvm::consumeError(tensor.takeError());
    }
}

TEST_F(NpyTest, RefusesWithTheReason) {
  auto refuseHeader = [&](StringRef dictionary) {
    put(makeFile(dictionary, getBytes<float>({1.0f, 2.0f, 3.0f, 4.0f})));
    return refuse(builder.getF32Type(), {2, 2});
  };
  auto contains = [](const std::string &text, StringRef part) {
    return StringRef(text).contains(part) ? ::testing::AssertionSuccess()
                                          : ::testing::AssertionFailure()
                                                << text << " lacks "
                                                << part.str();
  };
  EXPECT_TRUE(contains(refuseHeader("{'descr': '<f4', 'fortran_order': True, "
                                    "'shape': (2, 2), }"),
                       "column-major"));
  EXPECT_TRUE(contains(refuseHeader("{'descr': '>f4', 'fortran_order': False, "
                                    "'shape': (2, 2), }"),
                       "unsupported element type"));
  EXPECT_TRUE(
      contains(refuseHeader("{'descr': [('a', '<f4')], "
                            "'fortran_order': False, 'shape': (2, 2),}"),
               "unsupported element type"));
  EXPECT_TRUE(contains(refuseHeader("{'descr': '<f4', 'fortran_order': False, "
                                    "'shape': (4,), }"),
                       "shape 4, but the argument is 2x2"));
  EXPECT_TRUE(contains(refuseHeader("{'descr': '<f4', 'fortran_order': False, "
                                    "'shape': (1099511627776, 1099511627776), "
                                    "}"),
                       "shape too large"));
  EXPECT_TRUE(contains(refuseHeader("{'descr': '<f4', 'shape': (2, 2), }"),
                       "malformed header"));
}

TEST_F(NpyTest, RefusesBytesThatAreNoBooleans) {
  put(makeFile("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }",
               StringRef("\x01\x02", 2)));
  EXPECT_NE(refuse(builder.getI1Type(), {2}), "");
}
