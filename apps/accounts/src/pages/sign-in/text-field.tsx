import type { ComponentProps, ReactNode } from "react";
import { faultNoticeId } from "./fault-notice.tsx";

type TextField = Pick<ComponentProps<"input">, "type" | "autoComplete" | "defaultValue"> & {
	name: string;
	label: string;
	/** Whether what is wrong is to be mended here. */
	isFaulty: boolean;
	/** A button at the field's end. */
	children?: ReactNode;
};

/** One labelled input, large enough for a thumb. Never corrected or capitalised: what is typed here is exact. */
export function TextField({ name, label, isFaulty, children, ...input }: TextField) {
	return (
		<div className="mt-5">
			<label htmlFor={name} className="mb-1.5 block font-semibold">
				{label}
			</label>
			<div className="relative">
				<input
					{...input}
					id={name}
					name={name}
					required
					autoCapitalize="none"
					autoCorrect="off"
					spellCheck={false}
					aria-invalid={isFaulty}
					aria-describedby={isFaulty ? faultNoticeId : undefined}
					className={`min-h-12 w-full rounded-lg border bg-field px-3.5 text-lg ${children ? "pr-20" : ""} ${isFaulty ? "border-fault" : "border-edge"}`}
				/>
				{children}
			</div>
		</div>
	);
}
