import { Button, SearchField } from "@lango/interface";
import { FilterDay, FilterSelect, Filters, FilterText } from "./filters.tsx";
import type { ListFilters } from "./list-address.ts";
import { useListTexts } from "./texts.ts";

/** One of several values, a day, an exact text, or a search as the user types. */
export type FilterField = {
	name: string;
	label: string;
	/** Whether it is shown only while it is set. */
	isHidden?: boolean;
} & (
	| {
			kind: "select";
			options: ReadonlyArray<readonly [value: string, label: string]>;
			/** The label of no filter. Default: "Any". */
			unset?: string;
			/** The value of no filter, one of the options. There is then no other way to say "any". */
			fallback?: string;
	  }
	| { kind: "day" }
	| { kind: "text"; pattern?: string; invalid?: string }
	| { kind: "search" }
);

/** A choice of one of several codes by their names. */
export const choiceOf = (
	name: string,
	label: string,
	[codes, names]: readonly [readonly string[], Readonly<Record<string, string>>],
): FilterField & { kind: "select" } => ({
	...{ kind: "select", name, label },
	options: codes.map((code) => [code, names[code] ?? code]),
});

type FilterBar = { filters: ListFilters; fields: readonly FilterField[] };

/** The filters above a list, and a button that removes them. */
export function FilterBar({ filters, fields }: FilterBar) {
	const words = useListTexts();
	return (
		<Filters>
			{fields
				.filter(({ name, isHidden }) => !isHidden || filters.filter[name] !== undefined)
				.map((field) => (
					<OneFilter key={field.name} filters={filters} field={field} />
				))}
			{filters.isFiltered && (
				<Button kind="quiet" onClick={filters.removeAll}>
					{words.removeFilters}
				</Button>
			)}
		</Filters>
	);
}

function OneFilter({ filters, field }: { filters: ListFilters; field: FilterField }) {
	const words = useListTexts();
	const { name, label } = field;
	const value = filters.filter[name] ?? "";
	const common = { label, value, onChange: (next: string) => filters.set(name, next) };
	if (field.kind === "day") return <FilterDay {...common} />;
	// Removing the filters empties a field, also of what is not valid.
	if (field.kind === "search")
		return <SearchField key={filters.removals} label={label} initial={value} onSearch={common.onChange} />;
	if (field.kind === "text")
		return (
			<FilterText
				{...common}
				key={`${value} ${filters.removals}`}
				pattern={field.pattern}
				invalid={field.invalid ?? words.invalid}
			/>
		);
	const { fallback, unset = words.any } = field;
	const options = withCurrent(field.options, value).map(([one, text]) => ({ value: one, label: text }));
	return fallback === undefined ? (
		<FilterSelect {...common} options={[{ value: "", label: unset }, ...options]} />
	) : (
		<FilterSelect
			{...{ label, options }}
			value={value || fallback}
			onChange={(next) => common.onChange(next === fallback ? "" : next)}
		/>
	);
}

/** A value of the address that is not in the list is shown as it is. */
function withCurrent(options: ReadonlyArray<readonly [string, string]>, current: string) {
	return current === "" || options.some(([value]) => value === current)
		? options
		: [[current, current] as const, ...options];
}
