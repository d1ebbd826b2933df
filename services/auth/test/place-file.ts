/**
 * Writes databases of places in MaxMind's DB format (maxmind.github.io/MaxMind-DB), as small as a test
 * needs.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Value = string | number | Value[] | { [name: string]: Value };
/** A network such as `203.0.113.0/24` or `2001:db8::/32`, and its record. */
export type Networks = Readonly<Record<string, Value>>;
type Node = [left: number | undefined, right: number | undefined];

const types = { text: 2, uint32: 6, map: 7, array: 11 };
const recordBits = 24;

/** Writes a file with these networks; returns its path. */
export function writePlaceFile(networks: Networks, ipVersion: 4 | 6 = 6): string {
	const path = join(mkdtempSync(join(tmpdir(), "lango-places-")), "places.mmdb");
	writeFileSync(path, encodePlaces(networks, ipVersion));
	return path;
}

export function encodePlaces(networks: Networks, ipVersion: 4 | 6 = 6): Buffer {
	const nodes: Node[] = [[undefined, undefined]];
	const leaves: Array<{ node: number; side: 0 | 1; offset: number }> = [];
	let data = Buffer.alloc(0);
	for (const [network, value] of Object.entries(networks)) {
		const bits = bitsOf(network, ipVersion);
		const node = bits.slice(0, -1).reduce<number>((at, bit) => childOf(nodes, at, bit), 0);
		leaves.push({ node, side: bits.at(-1) ?? 0, offset: data.length });
		data = Buffer.concat([data, encode(value)]);
	}
	const tree = nodes.map((node) => node.map((child) => child ?? nodes.length));
	for (const { node, side, offset } of leaves) (tree[node] ?? [])[side] = nodes.length + 16 + offset;
	const metadata = {
		...{ binary_format_major_version: 2, binary_format_minor_version: 0, build_epoch: 1_772_000_000 },
		...{ database_type: "Test-City", description: { en: "Test" }, ip_version: ipVersion, languages: ["en"] },
		...{ node_count: nodes.length, record_size: recordBits },
	};
	const mark = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
	return Buffer.concat([...tree.flat().map(record), Buffer.alloc(16), data, mark, encode(metadata)]);
}

function childOf(nodes: Node[], at: number, bit: 0 | 1): number {
	const node = nodes[at];
	if (node === undefined) throw new Error(`there is no node ${at}`);
	node[bit] ??= nodes.push([undefined, undefined]) - 1;
	return node[bit];
}

function record(value: number): Buffer {
	const bytes = Buffer.alloc(recordBits / 8);
	bytes.writeUIntBE(value, 0, bytes.length);
	return bytes;
}

/** The bits of a network's prefix. In a tree for IPv6, IPv4 addresses are below 96 zeros. */
function bitsOf(network: string, ipVersion: 4 | 6): Array<0 | 1> {
	const [address = "", prefix] = network.split("/");
	const isIPv4 = !address.includes(":");
	const before = isIPv4 && ipVersion === 6 ? "0".repeat(96) : "";
	const bits = isIPv4
		? address.split(".").map((byte) => Number(byte).toString(2).padStart(8, "0"))
		: groupsOf(address).map((group) => Number.parseInt(group, 16).toString(2).padStart(16, "0"));
	return [...before, ...bits.join("").slice(0, Number(prefix))].map((bit) => (bit === "1" ? 1 : 0));
}

function groupsOf(address: string): string[] {
	const [head = "", tail = ""] = address.split("::");
	const [before, after] = [head, tail].map((part) => part.split(":").filter((group) => group !== ""));
	const zeros = 8 - (before?.length ?? 0) - (after?.length ?? 0);
	return [...(before ?? []), ...Array<string>(zeros).fill("0"), ...(after ?? [])];
}

function encode(value: Value): Buffer {
	if (typeof value === "string") return withType(types.text, Buffer.byteLength(value), Buffer.from(value));
	if (typeof value === "number") {
		const bytes = Buffer.alloc(4);
		bytes.writeUInt32BE(value);
		return withType(types.uint32, bytes.length, bytes);
	}
	if (Array.isArray(value)) return withType(types.array, value.length, Buffer.concat(value.map(encode)));
	const entries = Object.entries(value);
	const encoded = entries.flatMap(([name, one]) => [encode(name), encode(one)]);
	return withType(types.map, entries.length, Buffer.concat(encoded));
}

/** The control byte has the type in its first three bits, or after it; then the size, of up to 284. */
function withType(type: number, size: number, content: Buffer): Buffer {
	const control = ((type > 7 ? 0 : type) << 5) | Math.min(size, 29);
	const further = [...(type > 7 ? [type - 7] : []), ...(size >= 29 ? [size - 29] : [])];
	return Buffer.concat([Buffer.from([control, ...further]), content]);
}
