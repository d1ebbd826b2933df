import { Button } from "@lango/interface";
import { useState } from "react";
import { FilterDay, FilterSelect, Filters, FilterText } from "../../lists/filters.tsx";
import { intentStatuses } from "../payments/intent-status.tsx";
import { usePayingTexts } from "../payments/texts.ts";
import type { IntentFilter } from "./filter-names.ts";
import { useIntentTexts } from "./texts.ts";

type IntentFilters = { filter: IntentFilter; onChange: (filter: IntentFilter) => void };

const uuid = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** The filters of the list of payments. */
export function IntentFilters({ filter, onChange }: IntentFilters) {
	const words = useIntentTexts();
	const { statuses, status } = usePayingTexts();
	const set = (part: IntentFilter) => {
		const next = Object.entries({ ...filter, ...part }).filter(([, value]) => value !== "");
		onChange(Object.fromEntries(next));
	};
	const [removals, setRemovals] = useState(0);
	const removeAll = () => {
		setRemovals(removals + 1);
		onChange({});
	};
	const isFiltered = Object.keys(filter).length > 0;
	const text = (name: "order_id" | "operation_id", label: string, pattern?: string) => (
		<FilterText
			// Removing the filters empties the field, also of what is not valid.
			key={`${name} ${filter[name] ?? ""} ${removals}`}
			label={label}
			value={filter[name] ?? ""}
			pattern={pattern}
			invalid={words.operationInvalid}
			onChange={(value) => set({ [name]: value })}
		/>
	);
	return (
		<Filters>
			<FilterSelect
				label={status}
				value={filter.status ?? ""}
				options={[
					{ value: "", label: words.any },
					...intentStatuses.map((value) => ({ value, label: statuses[value] })),
				]}
				onChange={(value) => set({ status: value })}
			/>
			<FilterDay label={words.from} value={filter.from ?? ""} onChange={(from) => set({ from })} />
			<FilterDay label={words.to} value={filter.to ?? ""} onChange={(to) => set({ to })} />
			{text("order_id", words.order)}
			{text("operation_id", words.operation, uuid)}
			{isFiltered && (
				<Button kind="quiet" onClick={removeAll}>
					{words.everything}
				</Button>
			)}
		</Filters>
	);
}
