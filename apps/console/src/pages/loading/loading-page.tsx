import { useEffect, useState } from "react";
import { PlainPage } from "../../layout/plain-page.tsx";
import { useLoadingTexts } from "./texts.ts";

const unnoticedMilliseconds = 300;

/**
 * Shown during a sign-in or while a page loads. Empty for the first 300 ms, so that fast operations do not
 * flicker.
 */
export function LoadingPage() {
	const { title, text } = useLoadingTexts();
	const [isNoticed, setNoticed] = useState(false);
	useEffect(() => {
		const wait = setTimeout(() => setNoticed(true), unnoticedMilliseconds);
		return () => clearTimeout(wait);
	}, []);
	if (!isNoticed) return null;
	return (
		<PlainPage title={title} text={text}>
			<progress aria-label={text} className="h-2 w-full" />
		</PlainPage>
	);
}
