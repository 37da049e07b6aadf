#include "common/sha256.hpp"

#include <doctest/doctest.h>

using namespace pgveil;

TEST_CASE("a digest is the one of FIPS 180-4's examples") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc").size() == 32);
}

// RFC 4231, cases 1, 2, and 6, whose key is longer than a block.
TEST_CASE("a digest with a key is the one of RFC 4231's examples") {
  CHECK(hex_of(hmac_sha256(std::string(20, '\x0b'), "Hi There")) ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hex_of(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hex_of(hmac_sha256(std::string(131, '\xaa'),
                           "Test Using Larger Than Block-Size Key - Hash Key First")) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("an empty key is a key, and no digest without one") {
  CHECK(hex_of(hmac_sha256("", "")) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
  CHECK(hmac_sha256("", "abc") != sha256("abc"));
}

TEST_CASE("bytes are two lower-case digits each") {
  CHECK(hex_of("") == "");
  CHECK(hex_of(std::string_view("\x00\x0f\xff", 3)) == "000fff");
}
