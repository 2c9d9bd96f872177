import { AdapterDayjs } from '@mui/x-date-pickers/AdapterDayjs';
import { DatePicker } from '@mui/x-date-pickers/DatePicker';
import { LocalizationProvider } from '@mui/x-date-pickers/LocalizationProvider';
import dayjs from 'dayjs';
import { createRoot } from 'react-dom/client';

const say = (date) => (document.querySelector('#said').textContent = date?.isValid() ? date.format('YYYY-MM-DD') : 'no date');

createRoot(document.querySelector('#root')).render(
  <LocalizationProvider dateAdapter={AdapterDayjs}>
    <DatePicker label="Arrives" defaultValue={dayjs('2026-11-01')} onChange={say} />
    <DatePicker label="Leaves" onChange={say} />
  </LocalizationProvider>,
);
