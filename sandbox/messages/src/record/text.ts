/** The characters of the default alphabet, GSM 03.38 (3GPP TS 23.038 §6.2.1): one septet each. */
const basic = new Set(
	"@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
/** Its extension table: two septets each. */
const extended = new Set("\f^{}\\[~]|€");

/** How an SMS is sent: `units` are septets in GSM-7 and UTF-16 code units in UCS-2. */
export type Segments = { encoding: "GSM-7" | "UCS-2"; units: number; segments: number };

/**
 * Counts the segments of an SMS: 160 septets or 70 code units in one; 153 or 67 in each of several, because
 * the header of a concatenated message takes six octets (3GPP TS 23.040 §9.2.3.24.1). A character is not
 * divided between two segments.
 */
export function countSegments(text: string): Segments {
	const characters = [...text];
	const isGsm = characters.every((character) => basic.has(character) || extended.has(character));
	const unitsOf = (character: string) => (isGsm ? (extended.has(character) ? 2 : 1) : character.length);
	const units = characters.reduce((sum, character) => sum + unitsOf(character), 0);
	const [oneMax, eachMax] = isGsm ? [160, 153] : [70, 67];
	const encoding = isGsm ? "GSM-7" : "UCS-2";
	if (units <= oneMax) return { encoding, units, segments: 1 };
	let segments = 1;
	let used = 0;
	for (const character of characters) {
		const needed = unitsOf(character);
		if (used + needed > eachMax) {
			segments += 1;
			used = 0;
		}
		used += needed;
	}
	return { encoding, units, segments };
}

/** The links of a text and of the `href` attributes of an HTML document, each once, in order. */
export function findLinks({ text, html }: { text: string | null; html: string | null }): string[] {
	const inHtml = [...(html ?? "").matchAll(/href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(
		([, double, single]) => decodeEntities(double ?? single ?? ""),
	);
	const inText = [...(text ?? "").matchAll(/https?:\/\/[^\s<>"')\]]+/g)].map(([link]) =>
		link.replace(/[.,;:!?]+$/, ""),
	);
	return [...new Set([...inHtml, ...inText])]
		.filter((link) => /^(?:https?|mailto|tel):/i.test(link))
		.slice(0, 100);
}

const entities: Readonly<Record<string, string>> = {
	"&amp;": "&",
	"&quot;": '"',
	"&#34;": '"',
	"&#39;": "'",
	"&#x27;": "'",
	"&lt;": "<",
	"&gt;": ">",
	"&#x3D;": "=",
	"&#x3d;": "=",
};

const decodeEntities = (text: string) => text.replaceAll(/&[#\w]+;/g, (entity) => entities[entity] ?? entity);
