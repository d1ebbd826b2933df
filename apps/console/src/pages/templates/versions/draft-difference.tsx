import { type Draft, placeKey } from "../draft/draft.ts";
import type { Content } from "../draft/templates.queries.ts";
import { useContentName, useTemplateTexts } from "../draft/texts.ts";
import { Difference } from "./difference.tsx";

type DraftDifference = {
	before: Pick<Draft, "contents" | "samples">;
	after: Pick<Draft, "contents" | "samples">;
	names: readonly [before: string, after: string];
};

/** The difference of every content, and of the samples. */
export function DraftDifference({ before, after, names }: DraftDifference) {
	const words = useTemplateTexts();
	const nameOf = useContentName();
	const all = new Map([...before.contents, ...after.contents].map((each) => [placeKey(each), each]));
	const find = ({ contents }: { contents: readonly Content[] }, key: string) =>
		contents.find((each) => placeKey(each) === key);
	const pairs = [
		...[...all].map(([key, content]) => ({
			title: nameOf(content),
			before: writtenOf(find(before, key)),
			after: writtenOf(find(after, key)),
		})),
		{ title: words.samples, before: samplesOf(before.samples), after: samplesOf(after.samples) },
	].filter((pair) => pair.before !== pair.after);
	return (
		<div className="mt-3">
			<p className="text-quiet">{words.fromTo(...names)}</p>
			{pairs.length === 0 && <p className="mt-2">{words.noDifference}</p>}
			{pairs.map((pair) => (
				<Difference key={pair.title} {...pair} />
			))}
		</div>
	);
}

function writtenOf(content: Content | undefined): string {
	if (content === undefined) return "";
	const { subject, whatsapp_name, source } = content;
	return [subject, whatsapp_name, source].filter((part) => part !== undefined).join("\n");
}

const samplesOf = (samples: Draft["samples"]) =>
	Object.entries(samples)
		.map(([name, value]) => `${name}: ${value}`)
		.join("\n");
