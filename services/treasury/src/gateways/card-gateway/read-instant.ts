/** The time of a text that the gateway writes; undefined if it cannot be read. */
export function readInstant(text: string | undefined): Date | undefined {
	const time = new Date(text ?? Number.NaN);
	return Number.isNaN(time.getTime()) ? undefined : time;
}
