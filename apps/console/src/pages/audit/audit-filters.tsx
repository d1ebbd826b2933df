import { Button } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useAuditTexts } from "../../audit/texts.ts";
import { FilterDay, FilterSelect, Filters } from "../../lists/filters.tsx";
import { usePlatform } from "../../platform.ts";
import { useTexts } from "../../texts/texts.ts";
import { servicesOf } from "../access/access.queries.ts";
import { namesQuery } from "./names.queries.ts";
import { useAuditPageTexts } from "./texts.ts";

/** What the log is narrowed to; "" for everything. `place` is a service, or "" for the organisation. Days are in the tenant's zone. */
export type Narrowed = {
	place: string;
	action: string;
	actor: string;
	/** What the actor is called who is not among the people to choose from. */
	actorName?: string;
	from: string;
	to: string;
};

export const everything: Narrowed = { place: "", action: "", actor: "", from: "", to: "" };

/** Whether nothing is left out of the place that is looked at. */
export function isEverything({ action, actor, from, to }: Narrowed): boolean {
	return [action, actor, from, to].every((value) => value === "");
}

type AuditFilters = { slug: string; narrowed: Narrowed; onChange: (narrowed: Narrowed) => void };

/** Where, what, who, from and until which day. */
export function AuditFilters({ slug, narrowed, onChange }: AuditFilters) {
	const platform = usePlatform();
	const words = useAuditPageTexts();
	const texts = useAuditTexts();
	const { products } = useTexts();
	const members = useQuery(namesQuery(platform, slug)).data ?? new Map<string, string>();
	const names = new Map([[narrowed.actor, narrowed.actorName ?? narrowed.actor], ...members]);
	names.delete("");
	const set = (part: Partial<Narrowed>) => onChange({ ...narrowed, ...part });
	const services = servicesOf(platform.settings);
	const actions = narrowed.place === "" ? texts.actions : texts.serviceActions;
	return (
		<Filters>
			<FilterSelect
				label={words.place}
				value={narrowed.place}
				options={[
					{ value: "", label: words.organisation },
					...services.map((service) => ({ value: service, label: products[service] })),
				]}
				onChange={(place) => set({ place, action: "" })}
			/>
			<FilterSelect
				label={words.action}
				value={narrowed.action}
				options={[{ value: "", label: words.anyAction }, ...optionsOf(Object.entries(actions))]}
				onChange={(action) => set({ action })}
			/>
			<FilterSelect
				label={words.person}
				value={narrowed.actor}
				options={[{ value: "", label: words.anybody }, ...optionsOf([...names])]}
				onChange={(actor) => set({ actor })}
			/>
			<FilterDay label={words.from} value={narrowed.from} onChange={(from) => set({ from })} />
			<FilterDay label={words.to} value={narrowed.to} onChange={(to) => set({ to })} />
			{!isEverything(narrowed) && (
				<Button kind="quiet" onClick={() => onChange({ ...everything, place: narrowed.place })}>
					{words.everything}
				</Button>
			)}
		</Filters>
	);
}

/** Codes with their words, by word. */
function optionsOf(words: ReadonlyArray<readonly [string, string]>) {
	return words
		.map(([value, label]) => ({ value, label }))
		.toSorted((one, other) => one.label.localeCompare(other.label));
}
