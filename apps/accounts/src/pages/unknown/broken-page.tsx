import { texts } from "../../texts.ts";
import { NoticePage, wayOn } from "../notice-page.tsx";

/** When the pages cannot start, or one of them fails: never a blank screen. */
export function BrokenPage() {
	const { title, text, advice, reload } = texts.broken;
	return (
		<NoticePage title={title} text={text} advice={advice}>
			<button type="button" onClick={() => location.reload()} className={wayOn}>
				{reload}
			</button>
		</NoticePage>
	);
}
