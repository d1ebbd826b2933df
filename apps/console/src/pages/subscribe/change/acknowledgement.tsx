import { type RefObject, useId } from "react";
import { useChangeTexts } from "./texts.ts";

type Acknowledgement = {
	box: RefObject<HTMLInputElement | null>;
	isKnown: boolean;
	onKnow: (isKnown: boolean) => void;
	isReminded: boolean;
};

/** That what is lost is known: nothing is taken away from who has not said so. */
export function Acknowledgement({ box, isKnown, onKnow, isReminded }: Acknowledgement) {
	const words = useChangeTexts();
	const errorId = useId();
	return (
		<div className="mt-5">
			<label className="flex min-h-11 cursor-pointer items-center gap-3">
				<input
					ref={box}
					type="checkbox"
					checked={isKnown}
					onChange={({ target }) => onKnow(target.checked)}
					aria-invalid={isReminded}
					aria-describedby={isReminded ? errorId : undefined}
					className="size-5 shrink-0 accent-link"
				/>
				{words.acknowledge}
			</label>
			<p id={errorId} role="alert" className="text-fault empty:hidden">
				{isReminded && words.acknowledgeFirst}
			</p>
		</div>
	);
}
