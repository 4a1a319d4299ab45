//! The key pair that identifies a node: ECDSA on P-256 with SHA-256.
//!
//! This module only converts keys to and from text. Callers decide where key files are and who may
//! read them.

use std::convert::Infallible;
use std::fmt;

use data_encoding::{BASE64, HEXLOWER};
use lore_core::Entropy;
use p256::SecretKey;
use p256::ecdsa::signature::{RandomizedSigner, Verifier};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use p256::elliptic_curve::rand_core::{TryCryptoRng, TryRng};
use p256::pkcs8::{DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding};
use pkcs8::pkcs5::pbes2;
use pkcs8::{DecodePrivateKey, PrivateKeyInfoRef};
use sha2::{Digest, Sha256};

use crate::rid::{BadRid, NodeRid};

/// PBKDF2 iterations for a key file with a password.
const ROUNDS: u32 = 600_000;
const ENCRYPTED_LABEL: &str = "ENCRYPTED PRIVATE KEY";

/// Why a key cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The text is not a PKCS#8 key on P-256.
    #[error("the key file holds no P-256 key in PKCS#8 form")]
    Malformed,
    /// The key is encrypted and no password was given.
    #[error("the key file is encrypted: set PRIV_KEY_PASSWORD")]
    PasswordMissing,
    /// The password does not decrypt the key.
    #[error("the password does not open the key file")]
    PasswordWrong,
}

/// A private key and its public key.
#[derive(Clone)]
pub struct KeyPair {
    signing: SigningKey,
    public: PublicKey,
}

impl KeyPair {
    /// Generates a new key.
    pub fn generate(entropy: &dyn Entropy) -> Self {
        loop {
            let mut bytes = [0_u8; 32];
            entropy.fill(&mut bytes);
            // About one random value in 2^32 exceeds the order of the curve and is drawn again.
            if let Ok(secret) = SecretKey::from_slice(&bytes) {
                return Self::of(&secret);
            }
        }
    }

    /// Reads a PEM file, encrypted or not.
    pub fn from_pem(pem: &str, password: Option<&str>) -> Result<Self, KeyError> {
        let secret = if Self::is_encrypted(pem) {
            let password = password.ok_or(KeyError::PasswordMissing)?;
            SecretKey::from_pkcs8_encrypted_pem(pem, password).map_err(|error| match error {
                pkcs8::Error::Asn1(_) | pkcs8::Error::KeyMalformed(_) => KeyError::Malformed,
                _ => KeyError::PasswordWrong,
            })
        } else {
            SecretKey::from_pkcs8_pem(pem).map_err(|_| KeyError::Malformed)
        };
        Ok(Self::of(&secret?))
    }

    /// Whether a PEM file needs a password.
    pub fn is_encrypted(pem: &str) -> bool {
        pem.contains(ENCRYPTED_LABEL)
    }

    /// Writes the key as a PEM file, encrypted if there is a password.
    pub fn to_pem(
        &self,
        password: Option<&str>,
        entropy: &dyn Entropy,
    ) -> Result<String, KeyError> {
        let secret = SecretKey::from(&self.signing);
        let plain = secret.to_pkcs8_der().map_err(|_| KeyError::Malformed)?;
        let pem = match password {
            None => plain.to_pem("PRIVATE KEY", LineEnding::LF),
            Some(password) => {
                let info = PrivateKeyInfoRef::try_from(plain.as_bytes());
                let info = info.map_err(|_| KeyError::Malformed)?;
                let sealed = info.encrypt_with_params(encryption(entropy)?, password);
                sealed.map_err(|_| KeyError::Malformed)?.to_pem(ENCRYPTED_LABEL, LineEnding::LF)
            }
        };
        pem.map(|text| text.as_str().to_owned()).map_err(|_| KeyError::Malformed)
    }

    fn of(secret: &SecretKey) -> Self {
        let signing = SigningKey::from(secret);
        let public = PublicKey::of(*signing.verifying_key());
        Self { signing, public }
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the RID of the node with this key and this name.
    pub fn node_rid(&self, name: &str) -> Result<NodeRid, BadRid> {
        NodeRid::new(name, &self.public.hash())
    }

    /// Signs a message; returns base64 of `r‖s`. Signatures are randomised, so that the same
    /// message sent twice on purpose does not look like a replay.
    pub fn sign(&self, message: &[u8], entropy: &dyn Entropy) -> String {
        let signature: Signature = self.signing.sign_with_rng(&mut Draws(entropy), message);
        BASE64.encode(&signature.to_bytes())
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyPair({}, …)", self.public.hash())
    }
}

/// A public key, with its text form.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    verifying: VerifyingKey,
    text: String,
}

impl PublicKey {
    /// Parses base64 of the DER form.
    pub fn parse(text: &str) -> Option<Self> {
        let der = BASE64.decode(text.as_bytes()).ok()?;
        let verifying = VerifyingKey::from_public_key_der(&der).ok()?;
        Some(Self { verifying, text: text.to_owned() })
    }

    fn of(verifying: VerifyingKey) -> Self {
        let der = verifying.to_public_key_der();
        let text = der.map(|der| BASE64.encode(der.as_bytes())).unwrap_or_default();
        Self { verifying, text }
    }

    /// The text form: base64 of DER.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The hash that the RID of the key's node ends with.
    pub fn hash(&self) -> String {
        key_hash(&self.text)
    }

    /// Whether a node's RID contains the hash of this key. Some nodes use only the first sixteen
    /// digits, or hash the bytes instead of the text.
    pub fn belongs_to(&self, node: &NodeRid) -> bool {
        let of_text = self.hash();
        let der = BASE64.decode(self.text.as_bytes()).unwrap_or_default();
        let of_bytes = HEXLOWER.encode(&Sha256::digest(der));
        let named = node.key_hash();
        named == of_text || named == of_bytes || of_text.get(..16) == Some(named)
    }

    /// Whether `signature`, in base64, is a signature of `message` by this key.
    pub fn verifies(&self, message: &[u8], signature: &str) -> bool {
        let bytes = BASE64.decode(signature.as_bytes()).ok();
        let signature = bytes.and_then(|bytes| Signature::from_slice(&bytes).ok());
        signature.is_some_and(|signature| self.verifying.verify(message, &signature).is_ok())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.text)
    }
}

fn key_hash(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

fn encryption(entropy: &dyn Entropy) -> Result<pbes2::Parameters, KeyError> {
    let (mut salt, mut iv) = ([0_u8; 16], [0_u8; 16]);
    entropy.fill(&mut salt);
    entropy.fill(&mut iv);
    let parameters = pbes2::Parameters::generate_pbkdf2_sha256_aes256cbc(ROUNDS, &salt, iv);
    parameters.map_err(|_| KeyError::Malformed)
}

/// Our source of randomness, with the interface that the signer requires.
struct Draws<'a>(&'a dyn Entropy);

impl TryRng for Draws<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0_u8; 4];
        self.0.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Draws<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_core::effects::FixedEntropy;

    #[test]
    fn a_key_survives_its_file() {
        let entropy = FixedEntropy::new(1);
        let key = KeyPair::generate(&entropy);
        let plain = key.to_pem(None, &entropy).unwrap();
        assert!(plain.starts_with("-----BEGIN PRIVATE KEY-----"));
        assert_eq!(KeyPair::from_pem(&plain, None).unwrap().public(), key.public());
        let sealed = key.to_pem(Some("open sesame"), &entropy).unwrap();
        assert_eq!(KeyPair::from_pem(&sealed, Some("open sesame")).unwrap().public(), key.public());
        assert_eq!(KeyPair::from_pem(&sealed, None).unwrap_err(), KeyError::PasswordMissing);
        assert_eq!(KeyPair::from_pem(&sealed, Some("x")).unwrap_err(), KeyError::PasswordWrong);
        assert_eq!(KeyPair::from_pem("nothing", None).unwrap_err(), KeyError::Malformed);
    }

    #[test]
    fn signatures_differ_and_hold() {
        let entropy = FixedEntropy::new(2);
        let key = KeyPair::generate(&entropy);
        let (one, two) = (key.sign(b"hello", &entropy), key.sign(b"hello", &entropy));
        assert_ne!(one, two);
        for signature in [&one, &two] {
            assert!(key.public().verifies(b"hello", signature));
            assert!(!key.public().verifies(b"hullo", signature));
        }
        assert!(!key.public().verifies(b"hello", "bm9uZQ=="));
        assert!(!key.public().verifies(b"hello", "§"));
    }

    #[test]
    fn a_rid_is_bound_to_its_key() {
        let entropy = FixedEntropy::new(3);
        let key = KeyPair::generate(&entropy);
        let other = KeyPair::generate(&entropy);
        let rid = key.node_rid("well").unwrap();
        assert!(key.public().belongs_to(&rid));
        assert!(!other.public().belongs_to(&rid));
        let short = NodeRid::new("well", &key.public().hash()[..16]).unwrap();
        assert!(key.public().belongs_to(&short));
        let shorter = NodeRid::new("well", &key.public().hash()[..15]).unwrap();
        assert!(!key.public().belongs_to(&shorter));
    }
}
