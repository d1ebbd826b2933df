import { type ReactNode, useId, useState } from "react";

const wide = "sm:flex sm:flex-wrap sm:items-end";
/** Two columns. The search field and an odd last filter use the full width. */
const narrow =
	"grid grid-cols-2 items-end [&>search]:col-span-2 [&>div:first-of-type:nth-last-of-type(odd)]:col-span-2";

/** The search field and filters above a list. */
export function Filters({ children }: { children: ReactNode }) {
	return <div className={`mb-5 gap-3 print:hidden ${wide} ${narrow}`}>{children}</div>;
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

type FilterText = {
	label: string;
	value: string;
	/** What a text must match, and the message if it does not. */
	pattern?: string | undefined;
	invalid: string;
	/** Called when the field is left, or on Enter; "" for any. */
	onChange: (text: string) => void;
};

/** Filters a list by an exact text. */
export function FilterText({ label, value, pattern, invalid, onChange }: FilterText) {
	const id = useId();
	const [isInvalid, setInvalid] = useState(false);
	const apply = (input: HTMLInputElement) => {
		setInvalid(!input.validity.valid);
		if (input.validity.valid && input.value.trim() !== value) onChange(input.value.trim());
	};
	return (
		<div className="min-w-0">
			<label htmlFor={id} className="mb-1 block text-sm text-quiet">
				{label}
			</label>
			<input
				id={id}
				type="text"
				defaultValue={value}
				pattern={pattern}
				maxLength={200}
				autoComplete="off"
				spellCheck={false}
				aria-invalid={isInvalid}
				aria-describedby={isInvalid ? `${id}-error` : undefined}
				onBlur={(event) => apply(event.currentTarget)}
				onKeyDown={(event) => event.key === "Enter" && apply(event.currentTarget)}
				className={look}
			/>
			{isInvalid && (
				<p id={`${id}-error`} role="alert" className="mt-1 text-sm text-error">
					{invalid}
				</p>
			)}
		</div>
	);
}
