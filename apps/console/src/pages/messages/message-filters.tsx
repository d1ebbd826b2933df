import { useQuery } from "@tanstack/react-query";
import { FilterBar, type FilterField } from "../../lists/filter-bar.tsx";
import type { AddressFilter } from "../../lists/use-address-filter.ts";
import { usePlatform } from "../../platform.ts";
import { outletsQuery } from "../../tenant/tenant.queries.ts";
import { namesQuery } from "../audit/names.queries.ts";
import { channels } from "../templates/draft/templates.queries.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import type { MessageFilterName } from "./state/filter-names.ts";
import { sources, statuses } from "./state/message.queries.ts";
import { useMessageTexts } from "./state/texts.ts";

type MessageFilters = { slug: string; filters: AddressFilter<MessageFilterName> };
type Options = ReadonlyArray<readonly [value: string, label: string]>;

/** The filters of the feed. */
export function MessageFilters({ slug, filters }: MessageFilters) {
	const platform = usePlatform();
	const words = useMessageTexts();
	const { channelNames, categories } = useTemplateTexts();
	const outlets = useQuery(outletsQuery(platform, slug)).data ?? [];
	const people = useQuery(namesQuery(platform, slug)).data ?? new Map<string, string>();
	const select = (name: MessageFilterName, label: string, options: Options) =>
		({ kind: "select", name, label, options }) as const;
	const fields: Array<FilterField<MessageFilterName>> = [
		select("status", words.state, namesOf(statuses, words.statuses)),
		select("channel", words.channel, namesOf(channels, channelNames)),
		select("category", words.category, Object.entries(categories)),
		select("source", words.source, namesOf(sources, words.sources)),
		select(
			"outlet",
			words.outlet,
			outlets.map(({ id, name }) => [id, name]),
		),
		select("user_id", words.person, [...people]),
		{ kind: "text", name: "template", label: words.template },
		{ kind: "text", name: "address", label: words.address },
		{
			...{ kind: "text", name: "label", label: words.label },
			...{ pattern: "[^:]{1,60}:.{0,200}", invalid: words.labelInvalid },
		},
		{ kind: "day", name: "from", label: words.from },
		{ kind: "day", name: "to", label: words.to },
	];
	return (
		<FilterBar
			filters={filters}
			fields={fields.filter(({ name }) => name !== "outlet" || outlets.length > 1)}
		/>
	);
}

const namesOf = (codes: readonly string[], names: Readonly<Record<string, string>>): Options =>
	codes.map((code) => [code, names[code] ?? code]);
