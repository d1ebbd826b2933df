import { createElement, Fragment, type ReactNode, useEffect, useRef } from "react";

type PageHeading = {
	children: string;
	/** The title of the browser tab. */
	documentTitle: string;
	/** Whether the heading gets the focus, so that screen readers read the new page. */
	announce?: boolean;
};

/** The first-level heading of a page. Also sets the title of the browser tab. */
export function PageHeading({ children, documentTitle, announce = false }: PageHeading) {
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		document.title = documentTitle;
	}, [documentTitle]);
	useEffect(() => {
		if (announce) heading.current?.focus();
	}, [announce]);
	return (
		<h1
			ref={heading}
			tabIndex={-1}
			className="font-display text-3xl leading-tight text-balance wrap-anywhere md:text-4xl"
		>
			{keepWhole(children)}
		</h1>
	);
}

/** Short words with a hyphen, such as "e-mail", are not broken at it. */
function keepWhole(text: string): ReactNode {
	const parts = text.split(/(\b\w{1,3}-\w+)/).map((part, index) => (index % 2 === 1 ? unbroken(part) : part));
	return createElement(Fragment, null, ...parts);
}

const unbroken = (word: string) => <span className="whitespace-nowrap">{word}</span>;
