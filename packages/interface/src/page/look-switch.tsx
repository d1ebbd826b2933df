import { chooseLanguage } from "../texts/language.ts";
import { useWords } from "../texts/words.ts";
import { chooseTheme, themes, toTheme, useTheme } from "./theme.ts";

/** Changes the language and the theme without a reload, so that typed text is kept. */
export function LookSwitch() {
	const words = useWords();
	const theme = useTheme();
	const { name, tag } = words.otherLanguage;
	return (
		<div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-quiet print:hidden">
			<button
				type="button"
				lang={tag}
				onClick={() => chooseLanguage(tag)}
				className="min-h-11 min-w-11 font-semibold text-link underline decoration-1 underline-offset-4 hover:decoration-2"
			>
				{name}
			</button>
			<label className="flex min-h-11 items-center gap-2">
				{words.theme}
				<select
					value={theme}
					onChange={(event) => chooseTheme(toTheme(event.target.value))}
					className="min-h-11 rounded-lg border border-edge bg-field pl-3 opens-list pr-10 text-ink hover:border-link"
				>
					{themes.map((one) => (
						<option key={one} value={one}>
							{words.themes[one]}
						</option>
					))}
				</select>
			</label>
		</div>
	);
}
