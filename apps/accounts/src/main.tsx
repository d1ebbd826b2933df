import "./styles.css";
import { restoreTheme, setFallbackLanguage, setRequestedLanguages } from "@lango/interface";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrokenPage } from "./pages/unknown/broken-page.tsx";
import { accountsRouter } from "./routes.tsx";
import { requestedLanguages } from "./session/requested-languages.ts";
import { readSettings, type Settings, SettingsContext } from "./settings.ts";

/** What cannot be sent now fails, and is not done by itself when the network is back. */
const queries = new QueryClient({ defaultOptions: { mutations: { networkMode: "always" } } });

restoreTheme();
const languages = requestedLanguages(location.search);
if (languages !== undefined) setRequestedLanguages(languages);
setFallbackLanguage(undefined);
show(await readSettings().then(pages, broken));

function pages(settings: Settings): ReactNode {
	setFallbackLanguage(settings.language);
	return (
		<SettingsContext value={settings}>
			<QueryClientProvider client={queries}>
				<RouterProvider router={accountsRouter()} />
			</QueryClientProvider>
		</SettingsContext>
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
