import "@fontsource/young-serif/400.css";
import "@fontsource-variable/atkinson-hyperlegible-next/wght.css";
import "./styles.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrokenPage } from "./pages/unknown/broken-page.tsx";
import { accountsRouter } from "./routes.tsx";
import { readSettings, type Settings } from "./settings.ts";
import { preferredLanguage } from "./texts.ts";

document.documentElement.lang = preferredLanguage(navigator.languages);
show(await readSettings().then(pages, broken));

function pages(settings: Settings): ReactNode {
	return (
		<QueryClientProvider client={new QueryClient()}>
			<RouterProvider router={accountsRouter(settings)} />
		</QueryClientProvider>
	);
}

function broken(cause: unknown): ReactNode {
	reportError(cause);
	return <BrokenPage />;
}

function show(content: ReactNode): void {
	const place = document.getElementById("page");
	if (place === null) throw new Error("index.html has no element #page.");
	createRoot(place).render(<StrictMode>{content}</StrictMode>);
}
