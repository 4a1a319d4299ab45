//! Which IP addresses are on the public internet.
//!
//! The lists are IANA's special-purpose registries, read strictly: no range with a special purpose
//! contains web sites. IPv6 addresses that contain an IPv4 address are judged by that, or refused
//! if the format is obsolete.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is on the public internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match unwrapped(address) {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|range| range.holds(address)),
        IpAddr::V6(address) => {
            GLOBAL_UNICAST.holds(address) && !SPECIAL_V6.iter().any(|range| range.holds(address))
        }
    }
}

/// Whether an address can belong to a service on the owner's network: this machine and private
/// ranges, but not the metadata services of clouds, which hand out credentials.
pub(crate) fn is_private_service(address: IpAddr) -> bool {
    match unwrapped(address) {
        IpAddr::V4(address) => {
            let metadata = METADATA_V4.contains(&address);
            PRIVATE_V4.iter().any(|range| range.holds(address)) && !metadata
        }
        IpAddr::V6(address) => {
            let metadata = METADATA_V6.contains(&address);
            address.is_loopback() || (UNIQUE_LOCAL.holds(address) && !metadata)
        }
    }
}

/// Returns the IPv4 address inside an IPv6 one if connecting to the latter reaches the former.
fn unwrapped(address: IpAddr) -> IpAddr {
    let IpAddr::V6(outer) = address else { return address };
    let bytes = outer.octets();
    let mapped = outer.to_ipv4_mapped().is_some();
    let translated = NAT64.holds(outer);
    match (mapped || translated, bytes) {
        (true, [.., a, b, c, d]) => IpAddr::V4(Ipv4Addr::new(a, b, c, d)),
        (false, _) => address,
    }
}

struct RangeV4(Ipv4Addr, u32);

impl RangeV4 {
    fn holds(&self, address: Ipv4Addr) -> bool {
        let shift = 32 - self.1;
        u32::from(address) >> shift == u32::from(self.0) >> shift
    }
}

struct RangeV6(Ipv6Addr, u32);

impl RangeV6 {
    fn holds(&self, address: Ipv6Addr) -> bool {
        let shift = 128 - self.1;
        u128::from(address) >> shift == u128::from(self.0) >> shift
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u32) -> RangeV4 {
    RangeV4(Ipv4Addr::new(a, b, c, d), bits)
}

const fn v6(start: [u16; 3], bits: u32) -> RangeV6 {
    let [a, b, c] = start;
    RangeV6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), bits)
}

const SPECIAL_V4: [RangeV4; 19] = [
    v4(0, 0, 0, 0, 8),        // "this network": reaches this machine
    v4(10, 0, 0, 0, 8),       // private
    v4(100, 64, 0, 0, 10),    // carrier-grade NAT
    v4(127, 0, 0, 0, 8),      // loopback
    v4(168, 63, 129, 16, 32), // host services of a cloud (Azure)
    v4(169, 254, 0, 0, 16),   // link-local, includes cloud metadata
    v4(172, 16, 0, 0, 12),    // private
    v4(192, 0, 0, 0, 24),     // protocol assignments
    v4(192, 0, 2, 0, 24),     // documentation
    v4(192, 31, 196, 0, 24),  // AS112
    v4(192, 52, 193, 0, 24),  // AMT (multicast tunnelling)
    v4(192, 88, 99, 0, 24),   // 6to4 relays
    v4(192, 168, 0, 0, 16),   // private
    v4(192, 175, 48, 0, 24),  // AS112
    v4(198, 18, 0, 0, 15),    // benchmarking
    v4(198, 51, 100, 0, 24),  // documentation
    v4(203, 0, 113, 0, 24),   // documentation
    v4(224, 0, 0, 0, 4),      // multicast
    v4(240, 0, 0, 0, 4),      // reserved, includes broadcast
];

const GLOBAL_UNICAST: RangeV6 = v6([0x2000, 0, 0], 3);

const SPECIAL_V6: [RangeV6; 5] = [
    v6([0x2001, 0, 0], 23),         // protocol assignments, includes Teredo
    v6([0x2001, 0xdb8, 0], 32),     // documentation
    v6([0x2002, 0, 0], 16),         // 6to4: obsolete, contains any IPv4 address
    v6([0x2620, 0x4f, 0x8000], 48), // AS112
    v6([0x3fff, 0, 0], 20),         // documentation
];

/// The prefix under which IPv6-only networks reach the IPv4 internet.
const NAT64: RangeV6 = v6([0x64, 0xff9b, 0], 96);

const PRIVATE_V4: [RangeV4; 5] = [
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(172, 16, 0, 0, 12),
    v4(192, 168, 0, 0, 16),
];
const UNIQUE_LOCAL: RangeV6 = v6([0xfc00, 0, 0], 7);

const METADATA_V4: [Ipv4Addr; 1] = [Ipv4Addr::new(100, 100, 100, 200)];
const METADATA_V6: [Ipv6Addr; 1] = [Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)];

#[cfg(test)]
mod tests {
    use super::*;

    fn public(text: &str) -> bool {
        is_public(text.parse().unwrap())
    }

    #[test]
    fn both_edges_of_every_special_range_are_refused_and_their_neighbours_are_not() {
        for RangeV4(start, bits) in SPECIAL_V4 {
            let first = u32::from(start);
            let last = first | u32::MAX.checked_shr(bits).unwrap_or(0);
            for inside in [first, last] {
                assert!(!is_public(Ipv4Addr::from(inside).into()), "{}", Ipv4Addr::from(inside));
            }
        }
        let neighbours = [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "168.63.129.15",
        ];
        for outside in neighbours {
            assert!(public(outside), "{outside}");
        }
    }

    #[test]
    fn addresses_inside_addresses_are_judged_by_the_inner_one() {
        for hidden in ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1"] {
            assert!(!public(hidden), "{hidden}");
        }
        for open in ["::ffff:8.8.8.8", "64:ff9b::808:808", "2606:4700::1111"] {
            assert!(public(open), "{open}");
        }
    }

    #[test]
    fn only_ordinary_global_unicast_is_public() {
        let refused = [
            "::",
            "::1",
            "::7f00:1",
            "100::1",
            "64:ff9b:1::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "2001::1",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:808:808::1",
            "2620:4f:8000::1",
            "3fff::1",
            "4000::1",
            "5f00::1",
        ];
        for address in refused {
            assert!(!public(address), "{address}");
        }
    }

    #[test]
    fn own_services_exclude_the_clouds_metadata() {
        for own in ["127.0.0.1", "10.1.2.3", "192.168.1.5", "::1", "fd12::1", "100.64.0.1"] {
            assert!(is_private_service(own.parse().unwrap()), "{own}");
        }
        let others = [
            "169.254.169.254",
            "100.100.100.200",
            "fd00:ec2::254",
            "0.0.0.0",
            "224.0.0.1",
            "8.8.8.8",
        ];
        for other in others {
            assert!(!is_private_service(other.parse().unwrap()), "{other}");
        }
    }
}
