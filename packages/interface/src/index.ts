export { Button, type ButtonKind, buttonLook } from "./button.tsx";
export { ChecksField } from "./checks-field.tsx";
export { type Choice, ChoiceField } from "./choice-field.tsx";
export { type CursorPages, useCursorPages } from "./cursor-pages.ts";
export { type Column, DataTable } from "./data-table.tsx";
export { ConfirmDialog, Dialog } from "./dialog.tsx";
export { FileField } from "./file-field.tsx";
export { FormError } from "./form-error.tsx";
export { formatDay, formatMoney, formatNumber, formatTime, nameZone } from "./format.ts";
export {
	chooseLanguage,
	createTexts,
	currentLanguage,
	type Language,
	languages,
	preferredLanguage,
	setFallbackLanguage,
	setRequestedLanguages,
	useLanguage,
} from "./language.ts";
export { LookSwitch } from "./look-switch.tsx";
export { Notice } from "./notice.tsx";
export { PageFrame } from "./page-frame.tsx";
export { PageHeading } from "./page-heading.tsx";
export { Pager } from "./pager.tsx";
export { PasswordField } from "./password-field.tsx";
export { roleNames } from "./role-names.ts";
export { RowName } from "./row-name.tsx";
export { SearchField } from "./search-field.tsx";
export { SelectField } from "./select-field.tsx";
export { SkipLink } from "./skip-link.tsx";
export { TenantBadge } from "./tenant-badge.tsx";
export { findShelved, shelve, tenantFreshMilliseconds } from "./tenant-shelf.ts";
export { TextAreaField } from "./text-area-field.tsx";
export { TextField } from "./text-field.tsx";
export { chooseTheme, restoreTheme, type Theme, useTheme } from "./theme.ts";
export { useFaultFocus } from "./use-fault-focus.ts";
