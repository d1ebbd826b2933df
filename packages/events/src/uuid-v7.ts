import { randomBytes } from "node:crypto";

/** Mints a UUIDv7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, the rest random, so that ids sort by their time. */
export function uuidV7(at: Date): string {
	const bytes = randomBytes(16);
	bytes.writeUIntBE(at.getTime(), 0, 6);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The least UUIDv7 of a moment: an id that is not smaller was minted then or later. */
export function uuidV7Floor(at: Date): string {
	const ms = Math.max(at.getTime(), 0).toString(16).padStart(12, "0");
	return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}
