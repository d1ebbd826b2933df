import { createElement, Fragment, type ReactNode, useEffect, useRef } from "react";

type PageHeading = {
	children: string;
	/** What the browser's tab says. */
	documentTitle: string;
	/** Whether the heading takes the focus, so that a page nobody typed into is read aloud from its beginning. */
	announce?: boolean;
};

/** A page's one first heading; also the title of the browser's tab. */
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
