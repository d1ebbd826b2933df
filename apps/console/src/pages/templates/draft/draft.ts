import type { Channel, Content, DraftBody, Template, Variable, Version } from "./templates.queries.ts";

/** What an author edits. A sample is kept as the text that was typed. */
export type Draft = {
	variables: readonly Variable[];
	samples: Readonly<Record<string, string>>;
	contents: readonly Content[];
};

/** Where a content is: its channel and its language. */
export type ContentPlace = Pick<Content, "channel" | "locale">;

const withSubject: ReadonlySet<Channel> = new Set(["email", "push", "in_app"]);

/** Whether a content of the channel has a subject or a title. */
export const hasSubject = (channel: Channel): boolean => withSubject.has(channel);

/** The version that an author continues: the draft, else what is in force. */
export const shownVersion = ({ draft, live, platform }: Template): Version | null =>
	draft ?? live ?? platform;

/** Whether the variables are the author's: callers of a platform's template send those of the platform. */
export const hasOwnVariables = ({ origin, platform }: Template): boolean =>
	platform === null && origin !== "platform";

/** Returns what an author edits of a template. */
export function draftOf(template: Template): Draft {
	const version = shownVersion(template);
	if (version === null) return { variables: [], samples: {}, contents: [] };
	const { variables, samples, contents } = version;
	const texts = variables.map(({ name }) => [name, textOfSample(samples[name])] as const);
	return { variables, samples: Object.fromEntries(texts), contents };
}

function textOfSample(value: unknown): string {
	if (value === undefined || value === null) return "";
	return typeof value === "string" ? value : JSON.stringify(value, null, "\t");
}

export const isSameDraft = (left: Draft, right: Draft): boolean =>
	JSON.stringify(left) === JSON.stringify(right);

export const placeKey = ({ channel, locale }: ContentPlace): string => `${channel}.${locale}`;

export const findContent = ({ contents }: Draft, place: ContentPlace | undefined): Content | undefined =>
	place && contents.find((each) => placeKey(each) === placeKey(place));

/** Returns a draft with a changed content. */
export const withContent = (draft: Draft, content: Content): Draft => ({
	...draft,
	contents: draft.contents.map((each) => (placeKey(each) === placeKey(content) ? content : each)),
});

/** Returns a draft with a new content, in the order in which the service lists contents. */
export const addContent = (draft: Draft, content: Content): Draft => ({
	...draft,
	contents: [...draft.contents, content].toSorted((left, right) =>
		placeKey(left) < placeKey(right) ? -1 : 1,
	),
});

export const removeContent = (draft: Draft, place: ContentPlace): Draft => ({
	...draft,
	contents: draft.contents.filter((each) => placeKey(each) !== placeKey(place)),
});

const numberForm = /^-?\d{1,15}(\.\d{1,10})?$/;

/**
 * Reads the samples as they are sent: numbers and lists as JSON. An empty one is left out. `invalid` are
 * lists that are not valid JSON.
 */
export function readSamples({ variables, samples }: Draft): {
	values: Record<string, unknown>;
	invalid: readonly string[];
} {
	const read = variables.flatMap(({ name, kind }) => {
		const text = samples[name] ?? "";
		return text.trim() === "" ? [] : [{ name, value: readSample(kind, text) }];
	});
	return {
		values: Object.fromEntries(
			read.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])),
		),
		invalid: read.filter(({ value }) => value === undefined).map(({ name }) => name),
	};
}

/** Returns the value of a sample; undefined if it is not valid. */
function readSample(kind: string, text: string): unknown {
	if (kind === "list") return readList(text);
	return kind === "number" && numberForm.test(text) ? Number(text) : text;
}

function readList(text: string): unknown[] | undefined {
	try {
		const read: unknown = JSON.parse(text);
		return Array.isArray(read) ? read : undefined;
	} catch {
		return undefined;
	}
}

/** Returns the draft as it is sent. The variables are sent only where they are the author's. */
export const toDraftBody = (draft: Draft, isOwn: boolean): DraftBody => ({
	...(isOwn && { variables: [...draft.variables] }),
	samples: readSamples(draft).values,
	contents: [...draft.contents],
});
