import { type ReactNode, useId } from "react";

const wide = "sm:flex sm:flex-wrap sm:items-end";
/** Two columns. The search field and an odd last filter use the full width. */
const narrow =
	"grid grid-cols-2 items-end [&>search]:col-span-2 [&>div:first-of-type:nth-last-of-type(odd)]:col-span-2";

/** The search field and filters above a list. */
export function Filters({ children }: { children: ReactNode }) {
	return <div className={`mb-5 gap-3 ${wide} ${narrow}`}>{children}</div>;
}

type FilterSelect = {
	label: string;
	value: string;
	options: ReadonlyArray<{ value: string; label: string }>;
	onChange: (value: string) => void;
};

const look = "min-h-11 w-full rounded-lg border border-edge bg-field px-3";

/** Filters a list by one of several values. */
export function FilterSelect({ label, value, options, onChange }: FilterSelect) {
	const id = useId();
	return (
		<div className="min-w-0 sm:max-w-64">
			<label htmlFor={id} className="mb-1 block text-sm text-quiet">
				{label}
			</label>
			<select
				id={id}
				value={value}
				onChange={(event) => onChange(event.target.value)}
				className={`${look} opens-list pr-10`}
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

type FilterDay = { label: string; value: string; onChange: (day: string) => void };

/** Filters a list by a day; "" for any. */
export function FilterDay({ label, value, onChange }: FilterDay) {
	const id = useId();
	return (
		<div className="min-w-0">
			<label htmlFor={id} className="mb-1 block text-sm text-quiet">
				{label}
			</label>
			<input
				id={id}
				type="date"
				value={value}
				onChange={(event) => onChange(event.target.value)}
				className={look}
			/>
		</div>
	);
}
