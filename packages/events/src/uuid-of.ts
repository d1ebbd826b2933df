import { createHash } from "node:crypto";

/** Derives an id (a UUIDv8) for a message without a readable one. Equal input gives the same id. */
export function uuidOf(what: string | Uint8Array): string {
	const bytes = createHash("sha256").update(what).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	const hex = bytes.toString("hex");
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
