import { compareNames } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { kinds } from "../../audit/kinds.ts";
import { choiceOf, type FilterField } from "../../lists/filter-bar.tsx";
import { usePlatform } from "../../platform.ts";
import { servicesOf } from "../../services/service-access.queries.ts";
import { namesOfQuery, namesQuery } from "./names.queries.ts";
import { signOn, subscriptions } from "./sources.ts";
import { useAuditPageTexts } from "./texts.ts";
import { useNameSource } from "./use-names.ts";

/** The filters of the log: service, kind of action, person, first and last day. */
export function useTimelineFields(slug: string, actor: string | undefined): FilterField[] {
	const platform = usePlatform();
	const words = useAuditPageTexts();
	const nameSource = useNameSource();
	const members = useQuery(namesQuery(platform, slug)).data ?? new Map<string, string>();
	const isListed = actor === undefined || members.has(actor);
	const other = useQuery(namesOfQuery(platform, slug, isListed ? [] : [actor])).data;
	const people = [...(isListed ? [] : [[actor, other?.get(actor) ?? actor] as const]), ...members];
	const sources = [signOn, subscriptions, ...servicesOf(platform.settings)];
	return [
		{
			...{ kind: "select", name: "source", label: words.source, unset: words.everywhere },
			options: sources.map((source) => [source, nameSource(source)]),
		},
		{ ...choiceOf("kind", words.kind, [Object.keys(kinds), words.kinds]), unset: words.anyKind },
		{
			...{ kind: "select", name: "actor", label: words.person, unset: words.anyActor },
			options: people.toSorted(([, one], [, another]) => compareNames(one, another)),
		},
		{ kind: "day", name: "from", label: words.from },
		{ kind: "day", name: "to", label: words.to },
	];
}
