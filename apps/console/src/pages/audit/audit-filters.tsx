import { Button } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useAuditTexts } from "../../audit/texts.ts";
import { FilterDay, FilterSelect, Filters } from "../../lists/filters.tsx";
import { usePlatform } from "../../platform.ts";
import { servicesOf } from "../../services/service-access.queries.ts";
import { useTexts } from "../../texts/texts.ts";
import { namesQuery } from "./names.queries.ts";
import { useAuditPageTexts } from "./texts.ts";

/**
 * The filters of the log; "" for all. `source` is a service, or "" for the organisation. Days are in the
 * tenant's time zone.
 */
export type AuditFilter = {
	source: string;
	action: string;
	actor: string;
	/** The name of an actor who is not in the list of members. */
	actorName?: string;
	from: string;
	to: string;
};

export const everything: AuditFilter = { source: "", action: "", actor: "", from: "", to: "" };

/** Whether no filter is set, apart from the source. */
export function isEverything({ action, actor, from, to }: AuditFilter): boolean {
	return [action, actor, from, to].every((value) => value === "");
}

type AuditFilters = { slug: string; filter: AuditFilter; onChange: (filter: AuditFilter) => void };

/** Filters by source, action, actor, first and last day. */
export function AuditFilters({ slug, filter, onChange }: AuditFilters) {
	const platform = usePlatform();
	const words = useAuditPageTexts();
	const texts = useAuditTexts();
	const { products } = useTexts();
	const members = useQuery(namesQuery(platform, slug)).data ?? new Map<string, string>();
	const names = new Map([[filter.actor, filter.actorName ?? filter.actor], ...members]);
	names.delete("");
	const set = (part: Partial<AuditFilter>) => onChange({ ...filter, ...part });
	const services = servicesOf(platform.settings);
	const actions = filter.source === "" ? texts.actions : texts.serviceActions;
	return (
		<Filters>
			<FilterSelect
				label={words.source}
				value={filter.source}
				options={[
					{ value: "", label: words.organisation },
					...services.map((service) => ({ value: service, label: products[service] })),
				]}
				onChange={(source) => set({ source, action: "" })}
			/>
			<FilterSelect
				label={words.action}
				value={filter.action}
				options={[{ value: "", label: words.anyAction }, ...optionsOf(Object.entries(actions))]}
				onChange={(action) => set({ action })}
			/>
			<FilterSelect
				label={words.person}
				value={filter.actor}
				options={[{ value: "", label: words.anyActor }, ...optionsOf([...names])]}
				onChange={(actor) => set({ actor })}
			/>
			<FilterDay label={words.from} value={filter.from} onChange={(from) => set({ from })} />
			<FilterDay label={words.to} value={filter.to} onChange={(to) => set({ to })} />
			{!isEverything(filter) && (
				<Button kind="quiet" onClick={() => onChange({ ...everything, source: filter.source })}>
					{words.everything}
				</Button>
			)}
		</Filters>
	);
}

/** Options from codes and their names, sorted by name. */
function optionsOf(words: ReadonlyArray<readonly [string, string]>) {
	return words
		.map(([value, label]) => ({ value, label }))
		.toSorted((one, other) => one.label.localeCompare(other.label));
}
