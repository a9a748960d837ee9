// SPDX-License-Identifier: MIT
// Starts the dashboard: first its words, then the rest.
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import { wordsLoad } from './words';
import { themeApply } from './app/theme';

themeApply();
await wordsLoad();
const { start } = await import('./app/start');
start(document.getElementById('root')!);
