import { Button } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { FilterDay, FilterSelect, Filters, FilterText } from "../../lists/filters.tsx";
import { usePlatform } from "../../platform.ts";
import { outletsQuery } from "../../tenant/tenant.queries.ts";
import { namesQuery } from "../audit/names.queries.ts";
import { channels } from "../templates/draft/templates.queries.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import type { MessageFilter } from "./state/filter-names.ts";
import { sources, statuses } from "./state/message.queries.ts";
import { useMessageTexts } from "./state/texts.ts";

type MessageFilters = { slug: string; filter: MessageFilter; onChange: (filter: MessageFilter) => void };

/** The filters of the feed. */
export function MessageFilters({ slug, filter, onChange }: MessageFilters) {
	const platform = usePlatform();
	const words = useMessageTexts();
	const { channelNames, categories } = useTemplateTexts();
	const outlets = useQuery(outletsQuery(platform, slug)).data ?? [];
	const people = useQuery(namesQuery(platform, slug)).data ?? new Map<string, string>();
	const set = (part: MessageFilter) => {
		const next = Object.entries({ ...filter, ...part }).filter(([, value]) => value !== "");
		onChange(Object.fromEntries(next));
	};
	const select = (
		name: keyof MessageFilter,
		label: string,
		options: ReadonlyArray<readonly [string, string]>,
	) => (
		<FilterSelect
			label={label}
			value={filter[name] ?? ""}
			options={[
				{ value: "", label: words.anyValue },
				...withCurrent(options, filter[name]).map(([value, text]) => ({ value, label: text })),
			]}
			onChange={(value) => set({ [name]: value })}
		/>
	);
	const text = (name: keyof MessageFilter, label: string, pattern?: string) => (
		<FilterText
			key={`${name} ${filter[name] ?? ""}`}
			label={label}
			value={filter[name] ?? ""}
			pattern={pattern}
			invalid={words.labelInvalid}
			onChange={(value) => set({ [name]: value })}
		/>
	);
	return (
		<Filters>
			{select(
				"status",
				words.state,
				statuses.map((one) => [one, words.statuses[one] ?? one]),
			)}
			{select(
				"channel",
				words.channel,
				channels.map((one) => [one, channelNames[one]]),
			)}
			{select("category", words.category, Object.entries(categories))}
			{select(
				"source",
				words.source,
				sources.map((one) => [one, words.sources[one]]),
			)}
			{outlets.length > 1 &&
				select(
					"outlet",
					words.outlet,
					outlets.map(({ id, name }) => [id, name]),
				)}
			{select("user_id", words.person, [...people])}
			{text("template", words.template)}
			{text("address", words.address)}
			{text("label", words.label, "[^:]{1,60}:.{0,200}")}
			<FilterDay label={words.from} value={filter.from ?? ""} onChange={(from) => set({ from })} />
			<FilterDay label={words.to} value={filter.to ?? ""} onChange={(to) => set({ to })} />
			{Object.keys(filter).length > 0 && (
				<Button kind="quiet" onClick={() => onChange({})}>
					{words.everything}
				</Button>
			)}
		</Filters>
	);
}

/** A value of the address that is not in the list is shown as it is. */
function withCurrent(options: ReadonlyArray<readonly [string, string]>, current = "") {
	return current === "" || options.some(([value]) => value === current)
		? options
		: [[current, current] as const, ...options];
}
