import { useQuery } from "@tanstack/react-query";
import { choiceOf, type FilterField } from "../../lists/filter-bar.tsx";
import { usePlatform } from "../../platform.ts";
import { outletsQuery } from "../../tenant/tenant.queries.ts";
import { namesQuery } from "../audit/names.queries.ts";
import { channels } from "../templates/draft/templates.queries.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import { sources, statuses } from "./state/message.queries.ts";
import { useMessageTexts } from "./state/texts.ts";

/** The filters of the feed. */
export function useMessageFilters(slug: string): FilterField[] {
	const platform = usePlatform();
	const words = useMessageTexts();
	const { channelNames, categories } = useTemplateTexts();
	const outlets = useQuery(outletsQuery(platform, slug)).data ?? [];
	const people = useQuery(namesQuery(platform, slug)).data ?? new Map<string, string>();
	return [
		choiceOf("status", words.state, [statuses, words.statuses]),
		choiceOf("channel", words.channel, [channels, channelNames]),
		choiceOf("category", words.category, [Object.keys(categories), categories]),
		choiceOf("source", words.source, [sources, words.sources]),
		{
			...{ kind: "select", name: "outlet", label: words.outlet, isHidden: outlets.length < 2 },
			options: outlets.map(({ id, name }) => [id, name]),
		},
		{ kind: "select", name: "user_id", label: words.person, options: [...people] },
		{ kind: "text", name: "template", label: words.template },
		{ kind: "text", name: "address", label: words.address },
		{
			...{ kind: "text", name: "label", label: words.label },
			...{ pattern: "[^:]{1,60}:.{0,200}", invalid: words.labelInvalid },
		},
		{ kind: "day", name: "from", label: words.from },
		{ kind: "day", name: "to", label: words.to },
	];
}
