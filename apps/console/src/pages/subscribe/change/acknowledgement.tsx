import { type RefObject, useId } from "react";
import { useChangeTexts } from "./texts.ts";

type Acknowledgement = {
	box: RefObject<HTMLInputElement | null>;
	isAcknowledged: boolean;
	onAcknowledge: (isAcknowledged: boolean) => void;
	isReminded: boolean;
};

/** The acknowledgement of a loss. Without it, nothing is removed. */
export function Acknowledgement({ box, isAcknowledged, onAcknowledge, isReminded }: Acknowledgement) {
	const words = useChangeTexts();
	const errorId = useId();
	return (
		<div className="mt-5">
			<label className="flex min-h-11 cursor-pointer items-center gap-3">
				<input
					ref={box}
					type="checkbox"
					checked={isAcknowledged}
					onChange={({ target }) => onAcknowledge(target.checked)}
					aria-invalid={isReminded}
					aria-describedby={isReminded ? errorId : undefined}
					className="size-5 shrink-0 accent-link"
				/>
				{words.acknowledge}
			</label>
			<p id={errorId} role="alert" className="text-error empty:hidden">
				{isReminded && words.acknowledgeFirst}
			</p>
		</div>
	);
}
