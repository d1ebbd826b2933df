import { PageHeading } from "@lango/interface";
import { useEffect, useState } from "react";
import { useTexts } from "../../texts/texts.ts";
import { Shell } from "./shell.tsx";
import { useLoadingTexts } from "./texts.ts";

const unnoticedMilliseconds = 300;

/**
 * Shown during a sign-in or while a page loads: the outline of a page, which index.html shows already. After
 * 300 ms, a screen reader learns of it, and a line at the top moves.
 */
export function LoadingPage() {
	const { wordmark } = useTexts();
	const [isNoticed, setNoticed] = useState(false);
	useEffect(() => {
		const wait = setTimeout(() => setNoticed(true), unnoticedMilliseconds);
		return () => clearTimeout(wait);
	}, []);
	return (
		<>
			{isNoticed && <Notice />}
			<Shell wordmark={wordmark} />
		</>
	);
}

function Notice() {
	const { title, text } = useLoadingTexts();
	const texts = useTexts();
	return (
		<main className="absolute inset-x-0 top-0">
			<progress aria-label={text} className="block h-1 w-full" />
			<div className="sr-only">
				<PageHeading documentTitle={texts.title(title)} announce>
					{title}
				</PageHeading>
			</div>
		</main>
	);
}
