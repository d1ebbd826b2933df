const nairobiMs = 3 * 3_600_000;

/** The parts of a time in Nairobi, UTC+3. */
export function toNairobi(at: Date) {
	const local = new Date(at.getTime() + nairobiMs);
	const two = (part: number) => String(part).padStart(2, "0");
	return {
		year: local.getUTCFullYear(),
		month: local.getUTCMonth() + 1,
		day: local.getUTCDate(),
		two: {
			month: two(local.getUTCMonth() + 1),
			day: two(local.getUTCDate()),
			hour: two(local.getUTCHours()),
			minute: two(local.getUTCMinutes()),
			second: two(local.getUTCSeconds()),
			millisecond: String(local.getUTCMilliseconds()).padStart(3, "0"),
		},
	};
}

/** `20221110110717` */
export function printStamp(at: Date): string {
	const { year, two } = toNairobi(at);
	return `${year}${two.month}${two.day}${two.hour}${two.minute}${two.second}`;
}

/** `06.07.2024 22:48:52` */
export function printDotted(at: Date): string {
	const { year, two } = toNairobi(at);
	return `${two.day}.${two.month}.${year} ${two.hour}:${two.minute}:${two.second}`;
}

/** Cents as shillings with two decimals: `5.00`. */
export function printAmount(minor: number): string {
	const text = String(Math.abs(minor)).padStart(3, "0");
	return `${minor < 0 ? "-" : ""}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** TypeScript does not know it yet (ECMAScript proposal "JSON.parse source text access"). */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Cents as a JSON number with two decimals, `5.00`, which `JSON.stringify` alone would write as `5`. */
export const toDecimal = (minor: number): unknown => rawJSON(printAmount(minor));
