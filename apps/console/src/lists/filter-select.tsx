import { useId } from "react";

type FilterSelect = {
	label: string;
	options: ReadonlyArray<{ value: string; label: string }>;
	value: string;
	onChoose: (value: string) => void;
};

/** What a list is narrowed to, beside its search. */
export function FilterSelect({ label, options, value, onChoose }: FilterSelect) {
	const id = useId();
	return (
		<div className="flex min-h-11 flex-wrap items-center gap-2">
			<label htmlFor={id} className="text-quiet">
				{label}
			</label>
			<select
				id={id}
				value={value}
				onChange={(event) => onChoose(event.target.value)}
				className="min-h-11 max-w-full rounded-lg border border-edge bg-field px-3"
			>
				{options.map((option) => (
					<option key={option.value} value={option.value}>
						{option.label}
					</option>
				))}
			</select>
		</div>
	);
}
