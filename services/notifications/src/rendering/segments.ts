import { SegmentedMessage } from "sms-segments-calculator";

/** The characters of GSM 03.38 that take one septet, and those of its extension, which take two. */
const basic =
	"@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const septets: ReadonlyMap<string, number> = new Map([
	...[...basic].map((character) => [character, 1] as const),
	...[..."\f^{}\\[~]|€"].map((character) => [character, 2] as const),
]);

const singleMax = 160;
/** The header that joins segments takes seven septets. */
const segmentMax = 153;

/** Counts the segments of an SMS: GSM 03.38 if every character has a code there, else UCS-2. */
export function countSegments(text: string): number {
	// The calculator is exact but slow, and most texts need only septets.
	return countGsm(text) ?? new SegmentedMessage(text).segmentsCount;
}

/** Undefined if a character has no code. A character of two septets is not divided. */
function countGsm(text: string): number | undefined {
	let total = 0;
	let segments = 1;
	let used = 0;
	for (const character of text) {
		const size = septets.get(character);
		if (size === undefined) return undefined;
		total += size;
		if (used + size > segmentMax) {
			segments += 1;
			used = 0;
		}
		used += size;
	}
	return total <= singleMax ? 1 : segments;
}
