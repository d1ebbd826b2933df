/** The gateway's times are those of Nairobi, three hours before UTC's, all year. */
const zone = "+03:00";
const compact = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/;
const dotted = /^(\d{2})\.(\d{2})\.(\d{4}) (\d{2}):(\d{2}):(\d{2})$/;

/** Reads `20221110110717`, as text or a number, and `06.07.2024 22:48:52`; undefined for anything else. */
export function readTime(value: unknown): Date | undefined {
	const text = typeof value === "number" ? String(value) : value;
	if (typeof text !== "string") return undefined;
	const [, year, month, day, ...clock] = compact.exec(text) ?? reorder(dotted.exec(text)) ?? [];
	if (year === undefined) return undefined;
	const time = new Date(`${year}-${month}-${day}T${clock.join(":")}${zone}`);
	return Number.isNaN(time.getTime()) ? undefined : time;
}

function reorder(found: RegExpExecArray | null): (string | undefined)[] | undefined {
	if (found === null) return undefined;
	const [whole, day, month, year, ...clock] = found;
	return [whole, year, month, day, ...clock];
}
