import { Button } from "@lango/interface";
import { FilterDay, FilterSelect, Filters, FilterText } from "./filters.tsx";
import { useListTexts } from "./texts.ts";
import type { AddressFilter } from "./use-address-filter.ts";

/** One of several values, a day, or an exact text. */
export type FilterField<Name extends string> = { name: Name; label: string } & (
	| { kind: "select"; options: ReadonlyArray<readonly [value: string, label: string]> }
	| { kind: "day" }
	| { kind: "text"; pattern?: string; invalid?: string }
);

type FilterBar<Name extends string> = {
	filters: AddressFilter<Name>;
	fields: ReadonlyArray<FilterField<Name>>;
};

/** The filters above a list, and a button that removes them. */
export function FilterBar<Name extends string>({ filters, fields }: FilterBar<Name>) {
	const words = useListTexts();
	return (
		<Filters>
			{fields.map((field) => (
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

function OneFilter<Name extends string>({
	filters,
	field,
}: {
	filters: AddressFilter<Name>;
	field: FilterField<Name>;
}) {
	const words = useListTexts();
	const { name, label } = field;
	const value = filters.filter[name] ?? "";
	const common = { label, value, onChange: (next: string) => filters.set(name, next) };
	if (field.kind === "day") return <FilterDay {...common} />;
	// Removing the filters empties a field, also of what is not valid.
	if (field.kind === "text")
		return (
			<FilterText
				{...common}
				key={`${value} ${filters.removals}`}
				pattern={field.pattern}
				invalid={field.invalid ?? words.invalid}
			/>
		);
	const options = withCurrent(field.options, value).map(([one, text]) => ({ value: one, label: text }));
	return <FilterSelect {...common} options={[{ value: "", label: words.any }, ...options]} />;
}

/** A value of the address that is not in the list is shown as it is. */
function withCurrent(options: ReadonlyArray<readonly [string, string]>, current: string) {
	return current === "" || options.some(([value]) => value === current)
		? options
		: [[current, current] as const, ...options];
}
