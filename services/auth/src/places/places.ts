import { readFile } from "node:fs/promises";
import { BlockList, isIP, isIPv4 } from "node:net";
import { type Logger, networkOf, SettingsError } from "@lango/chassis";
import { type CityResponse, Reader } from "mmdb-lib";

/** Where a sign-in came from: the country by ISO 3166-1 alpha-2, and the city by its English name. */
export type SignInPlace = { country: string; city: string | undefined };

/** Finds the place of an address; undefined if it is not known. It never throws. */
export type Places = (ip: string) => SignInPlace | undefined;

/** The members that are read of a record; a file may have anything in their place. */
type PlaceRecord = { country?: { iso_code?: unknown }; city?: { names?: { en?: unknown } } };

const cityLengthMax = 100;
/** Addresses of private networks, and those that are never a caller's (RFC 6890). */
const privateNetworks: ReadonlyArray<readonly [network: string, prefix: number, family: "ipv4" | "ipv6"]> = [
	["0.0.0.0", 8, "ipv4"],
	["10.0.0.0", 8, "ipv4"],
	["100.64.0.0", 10, "ipv4"],
	["127.0.0.0", 8, "ipv4"],
	["169.254.0.0", 16, "ipv4"],
	["172.16.0.0", 12, "ipv4"],
	["192.168.0.0", 16, "ipv4"],
	["::", 127, "ipv6"],
	["fc00::", 7, "ipv6"],
	["fe80::", 10, "ipv6"],
];
const isPrivate = new BlockList();
for (const subnet of privateNetworks) isPrivate.addSubnet(...subnet);

/**
 * Reads the database of places, in MaxMind's DB format, into memory; without a path no place is known.
 * Throws SettingsError if the file cannot be read or has another format.
 */
export async function openPlaces(path: string | undefined, log: Pick<Logger, "warn">): Promise<Places> {
	if (path === undefined) return () => undefined;
	const reader = await openReader(path);
	const isOnlyIPv4 = reader.metadata.ipVersion === 4;
	return (ip) => {
		const address = plainAddress(ip);
		if (address === undefined || (isOnlyIPv4 && !isIPv4(address))) return undefined;
		try {
			return placeIn(reader.get(address));
		} catch (err) {
			log.warn({ err, setting: "AUTH_PLACES_FILE" }, "a place could not be read from the database of places");
			return undefined;
		}
	};
}

async function openReader(path: string) {
	const refuse = (cause: unknown, problem: string): never => {
		const detail = cause instanceof Error ? `: ${cause.message}` : "";
		throw new SettingsError([`AUTH_PLACES_FILE ${problem}${detail}`]);
	};
	const content = await readFile(path).catch((error) => refuse(error, "names a file that cannot be read"));
	const problem = `names ${path}, which is not a database in MaxMind DB format`;
	try {
		const reader = new Reader<CityResponse>(content);
		const { binaryFormatMajorVersion, ipVersion, nodeCount, searchTreeSize } = reader.metadata;
		const isWhole = nodeCount > 0 && searchTreeSize < content.length;
		if (binaryFormatMajorVersion === 2 && [4, 6].includes(ipVersion) && isWhole) return reader;
	} catch (error) {
		return refuse(error, problem);
	}
	return refuse(undefined, problem);
}

/** The address without a zone, an IPv4-mapped one as IPv4; undefined if it is private or no address. */
function plainAddress(ip: string): string | undefined {
	const [withoutZone = ""] = ip.split("%");
	const network = networkOf(withoutZone);
	const address = isIPv4(network) ? network : withoutZone;
	const version = isIP(address);
	if (version === 0 || isPrivate.check(address, version === 4 ? "ipv4" : "ipv6")) return undefined;
	return address;
}

function placeIn(record: PlaceRecord | null): SignInPlace | undefined {
	const country = record?.country?.iso_code;
	if (typeof country !== "string" || !/^[A-Z]{2}$/.test(country)) return undefined;
	const city = record?.city?.names?.en;
	return { country, city: isName(city) ? city : undefined };
}

/** Whether it is a text that can be stored and shown. */
const isName = (value: unknown): value is string =>
	typeof value === "string" && value !== "" && value.length <= cityLengthMax && !/\p{C}/u.test(value);
