/** Bytes of a PNG before its first chunk (PNG §5.2). */
const signatureBytes = 8;
/** A chunk is its length, its type, its data and a checksum, four bytes each but the data (PNG §5.3). */
const frameBytes = 12;

type Chunk = { type: string; bytes: Buffer };

const isPng = (content: Buffer): boolean => content.toString("latin1", 1, 4) === "PNG";

/** The chunks of a PNG in their order; none of other bytes. */
function* chunksOf(content: Buffer): Generator<Chunk> {
	if (!isPng(content)) return;
	for (let at = signatureBytes; at + frameBytes <= content.length; ) {
		const end = at + content.readUInt32BE(at) + frameBytes;
		yield { type: content.toString("latin1", at + 4, at + 8), bytes: content.subarray(at, end) };
		at = end;
	}
}

/**
 * Whether a PNG has the chunk `acTL` before its image (PNG §11.3.6.1, APNG). The decoder would show its
 * first frame only.
 */
export function isAnimatedPng(content: Buffer): boolean {
	for (const { type } of chunksOf(content)) {
		if (type === "acTL") return true;
		if (type === "IDAT") return false;
	}
	return false;
}

/**
 * Chunks that are not critical and that the image needs: transparency, colours, orientation, and the mark
 * of an animation.
 */
const neededTypes: ReadonlySet<string> = new Set(["tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "eXIf", "acTL"]);

/** The type of a critical chunk begins with an upper-case letter (PNG §5.4). */
const isNeeded = ({ type }: Chunk) => /^[A-Z]/.test(type) || neededTypes.has(type);

/**
 * A PNG without the chunks that its image does not need. The decoder expands compressed texts (`zTXt`,
 * `iTXt`) before it reads the image: a file of 230 KB takes more than 1 GB. Other bytes are returned as
 * they are.
 */
export function withoutTexts(content: Buffer): Buffer {
	if (!isPng(content)) return content;
	const needed = [...chunksOf(content)].filter(isNeeded).map(({ bytes }) => bytes);
	return Buffer.concat([content.subarray(0, signatureBytes), ...needed]);
}
