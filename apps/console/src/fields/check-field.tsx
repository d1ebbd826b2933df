import { useId } from "react";

type CheckField = {
	name: string;
	label: string;
	hint?: string;
	isChecked: boolean;
	onChange: (isChecked: boolean) => void;
};

/** A single checkbox in a frame. */
export function CheckField({ name, label, hint, isChecked, onChange }: CheckField) {
	const hintId = useId();
	return (
		<label className="mt-5 flex cursor-pointer items-start gap-3 rounded-lg border border-edge bg-field px-3.5 py-2.5 has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring">
			<input
				type="checkbox"
				name={name}
				checked={isChecked}
				aria-describedby={hint === undefined ? undefined : hintId}
				onChange={(event) => onChange(event.target.checked)}
				className="mt-1 size-4 shrink-0 accent-link outline-none"
			/>
			<span className="min-w-0">
				<span className="block font-semibold">{label}</span>
				{hint !== undefined && (
					<span id={hintId} className="block text-quiet">
						{hint}
					</span>
				)}
			</span>
		</label>
	);
}
