import { boxAria, GroupError } from "@lango/interface";
import { useId } from "react";

type CheckField = {
	name: string;
	label: string;
	hint?: string;
	/** The error of this field, shown below it. */
	error?: string | undefined;
	/** Whether the form's error is about this field. */
	isInvalid?: boolean;
	isChecked: boolean;
	onChange: (isChecked: boolean) => void;
};

/** A single checkbox in a frame. */
export function CheckField({ label, hint, isChecked, onChange, ...field }: CheckField) {
	const hintId = useId();
	const { "aria-describedby": errorId, ...aria } = { "aria-describedby": undefined, ...boxAria(field) };
	const described = [errorId, hint === undefined ? undefined : hintId].filter((id) => id !== undefined);
	return (
		<div className="mt-5">
			<label className="flex cursor-pointer items-start gap-3 rounded-lg border border-edge bg-field px-3.5 py-2.5 has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring">
				<input
					type="checkbox"
					name={field.name}
					{...aria}
					checked={isChecked}
					aria-describedby={described.join(" ") || undefined}
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
			<GroupError {...field} />
		</div>
	);
}
