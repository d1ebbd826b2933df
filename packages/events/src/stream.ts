/** Streams of the bus, one for each producing service, where the types' first word alone does not say it. */
const streams: Readonly<Record<string, readonly string[]>> = {
	AUTH: ["auth", "tenant", "outlet"],
	NOTIFICATIONS: ["notification", "notifications"],
};

/** The stream an event of this type belongs to: its first word decides. Throws an Error when the type is none. */
export function streamOf(type: string): string {
	if (!/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/.test(type)) throw new Error(`"${type}" is no type of event`);
	const [word = ""] = type.split(".");
	return Object.entries(streams).find(([, words]) => words.includes(word))?.[0] ?? word.toUpperCase();
}

/** First words of the types a stream holds. */
export function wordsOf(stream: string): readonly string[] {
	return streams[stream] ?? [stream.toLowerCase()];
}

/** Types by the stream they belong to. */
export function byStream(types: readonly string[]): Map<string, string[]> {
	return Map.groupBy(types, streamOf);
}
