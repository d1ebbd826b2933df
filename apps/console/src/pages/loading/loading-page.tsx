import { useEffect, useState } from "react";
import { PlainPage } from "../../layout/plain-page.tsx";
import { useLoadingTexts } from "./texts.ts";

const unnoticedMilliseconds = 300;

/** While somebody is being let in, or a page is fetched: that something happens. Nothing for what is over before one looks. */
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
