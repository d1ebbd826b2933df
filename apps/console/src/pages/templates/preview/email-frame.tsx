import { useEffect, useRef, useState } from "react";
import { useTemplateTexts } from "../draft/texts.ts";

/**
 * The page of an e-mail in a sandboxed frame, in a document with a policy of its own: it runs no script,
 * sends no form and opens no link.
 */
export function EmailFrame({ html, locale }: { html: string; locale: string }) {
	const { emailFrame } = useTemplateTexts();
	const frame = useRef<HTMLIFrameElement>(null);
	const [loads, setLoads] = useState(0);
	useEffect(() => {
		const page = frame.current?.contentDocument;
		if (loads === 0 || page === null || page === undefined) return;
		page.documentElement.innerHTML = html;
		page.documentElement.lang = locale;
		for (const link of page.querySelectorAll("a")) link.setAttribute("target", "_blank");
	}, [html, locale, loads]);
	return (
		<iframe
			ref={frame}
			title={emailFrame}
			src="/preview-frame.html"
			sandbox="allow-same-origin"
			referrerPolicy="no-referrer"
			onLoad={() => setLoads((count) => count + 1)}
			className="h-128 w-full rounded-lg border border-hair bg-white"
		/>
	);
}
