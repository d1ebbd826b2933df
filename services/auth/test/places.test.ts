import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SettingsError } from "@lango/chassis";
import { expect, test } from "vitest";
import { openPlaces } from "../src/places/places.ts";
import { encodePlaces, type Networks, writePlaceFile } from "./place-file.ts";

const mombasa = { country: { iso_code: "KE" }, city: { names: { de: "Mombassa", en: "Mombasa" } } };
const networks: Networks = {
	"203.0.113.0/24": mombasa,
	"198.51.100.0/25": { country: { iso_code: "TZ" } },
	"198.51.100.128/25": { city: { names: { en: "Nowhere" } } },
	"10.0.0.0/8": mombasa,
	"fd00::/8": mombasa,
	"2001:db8::/32": { country: { iso_code: "UG" }, city: { names: { en: "Kampala" } } },
};
const warned: unknown[] = [];
const log = { warn: (...said: unknown[]) => void warned.push(said) };
const find = await openPlaces(writePlaceFile(networks), log);
const kenya = { country: "KE", city: "Mombasa" };

test.each([
	["with country and city", "203.0.113.7", kenya],
	["with a country only", "198.51.100.7", { country: "TZ", city: undefined }],
	["of IPv6", "2001:db8:1::7", { country: "UG", city: "Kampala" }],
	["of IPv4, written as IPv6", "::ffff:203.0.113.7", kenya],
	["of IPv4, written as IPv6 in hexadecimal", "::ffff:cb00:7107", kenya],
	["without a country", "198.51.100.200", undefined],
	["in no network of the file", "192.0.2.1", undefined],
	["of IPv6 in no network of the file", "2001:db9::1", undefined],
	["of a private network, although the file has it", "10.1.2.3", undefined],
	["of a private network, written as IPv6", "::ffff:10.1.2.3", undefined],
	["of a private network of IPv6, although the file has it", "fd00::1", undefined],
	["of this link, with its zone", "fe80::1%eth0", undefined],
	["of this machine", "::1", undefined],
	["of another form", "unknown", undefined],
])("an address %s: %s", (_, ip, place) => {
	expect(find(ip)).toEqual(place);
});

test("a file with addresses of IPv4 only has no place for IPv6", async () => {
	const findIPv4 = await openPlaces(
		writePlaceFile({ "203.0.113.0/24": mombasa, "32.0.0.0/3": mombasa }, 4),
		log,
	);
	expect([findIPv4("203.0.113.7"), findIPv4("2001:db8::1")]).toEqual([kenya, undefined]);
});

test.each([
	["no code of a country", { country: { iso_code: "Kenya" } }, undefined],
	["another form", { country: "KE" }, undefined],
	["a name that is a number", { country: { iso_code: "KE" }, city: { names: { en: 7 } } }, true],
	["a name that cannot be stored", { country: { iso_code: "KE" }, city: { names: { en: "A\u0000" } } }, true],
	[
		"a name of 101 characters",
		{ country: { iso_code: "KE" }, city: { names: { en: "a".repeat(101) } } },
		true,
	],
])("a record with %s names nothing that is not known", async (_, record, hasCountry) => {
	const findIn = await openPlaces(writePlaceFile({ "203.0.113.0/24": record }), log);
	expect(findIn("203.0.113.7")).toEqual(hasCountry && { country: "KE", city: undefined });
});

const fileOf = (content: Buffer): string => {
	const path = join(mkdtempSync(join(tmpdir(), "lango-places-")), "places.mmdb");
	writeFileSync(path, content);
	return path;
};

test("a record that cannot be read has no place, and is logged without the address", async () => {
	const content = encodePlaces({ "203.0.113.0/24": { country: { iso_code: "KE" } } });
	// The type of the record becomes one that the format does not have (16).
	const at = content.indexOf("country") - 2;
	content.writeUInt16BE(0x00_09, at);
	const findIn = await openPlaces(fileOf(content), log);
	warned.length = 0;
	expect(findIn("203.0.113.7")).toBeUndefined();
	expect(warned).toHaveLength(1);
	expect(String(warned.flat())).not.toContain("203.0.113.7");
});

const whole = encodePlaces(networks);
test.each([
	["that is missing", join(tmpdir(), "lango-no-such-places.mmdb"), /cannot be read: ENOENT/],
	["that is a folder", tmpdir(), /cannot be read: EISDIR/],
	["that is empty", fileOf(Buffer.alloc(0)), /not a database in MaxMind DB format/],
	[
		"of another kind",
		fileOf(Buffer.from("country,city\nKE,Mombasa\n".repeat(50))),
		/not a database in MaxMind/,
	],
	["that ends early", fileOf(whole.subarray(0, whole.length - 100)), /not a database in MaxMind/],
	["whose tree is missing", fileOf(whole.subarray(-200)), /not a database in MaxMind/],
])("a file %s is refused at the start, by the name of its setting", async (_, path, message) => {
	const refused = await openPlaces(path, log).catch((error) => error);
	expect(refused).toBeInstanceOf(SettingsError);
	expect(refused.message).toMatch(/AUTH_PLACES_FILE/);
	expect(refused.message).toMatch(message);
});
