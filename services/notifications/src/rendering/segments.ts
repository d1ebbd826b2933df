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

/** Texts in which each character is one unit of UCS-2 and joins no other: Latin, Greek, signs, currencies. */
const plainUnits = /^[\n\x20-\x7e\u00a0-\u02ff\u0370-\u03ff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/;
const singleUnitsMax = 70;
const segmentUnitsMax = 67;

/**
 * Counts the segments of an SMS: GSM 03.38 if every character has a code there, else UCS-2. The calculator is
 * exact but takes more than a millisecond, so it counts only texts with joined characters, such as emoji.
 */
export const countSegments = (text: string): number =>
	countGsm(text) ?? countPlain(text) ?? new SegmentedMessage(text).segmentsCount;

function countPlain(text: string): number | undefined {
	if (!plainUnits.test(text)) return undefined;
	return text.length <= singleUnitsMax ? 1 : Math.ceil(text.length / segmentUnitsMax);
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
