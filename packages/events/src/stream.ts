/**
 * The streams whose name differs from the first word of their event types. There is one stream per producing
 * service.
 */
const streams: Readonly<Record<string, readonly string[]>> = {
	AUTH: ["auth", "tenant", "outlet"],
	NOTIFICATIONS: ["notification", "notifications"],
};

/**
 * Returns the stream of an event type, which its first word determines. Throws an Error if the type is
 * malformed.
 */
export function streamOf(type: string): string {
	if (!/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/.test(type)) throw new Error(`"${type}" is not an event type`);
	const [word = ""] = type.split(".");
	return Object.entries(streams).find(([, words]) => words.includes(word))?.[0] ?? word.toUpperCase();
}

/** Returns the first words of the types in a stream. */
export function wordsOf(stream: string): readonly string[] {
	return streams[stream] ?? [stream.toLowerCase()];
}

/** Groups types by their stream. */
export function byStream(types: readonly string[]): Map<string, string[]> {
	return Map.groupBy(types, streamOf);
}
